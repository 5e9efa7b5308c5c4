"""Servers that speak TLS, beside the plain port of each."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from harness.peers import Peer
from harness.server import free_port
from harness.workspace import PEER_SOURCES, ROOT, Workspace, find, output_of

KINDS = {"P-256": ("ec", "-pkeyopt", "ec_paramgen_curve:P-256"), "RSA 2048": ("rsa:2048",)}
"""What keys are made of."""


@dataclass(frozen=True)
class Pair:
    kind: str
    certificate: Path
    key: Path

    @property
    def name(self) -> str:
        return self.certificate.stem


def make_pair(kind: str, workspace: Workspace) -> Pair:
    name = kind.lower().replace(" ", "-")
    folder = workspace.folder("tls")
    pair = Pair(kind, folder / f"{name}.pem", folder / f"{name}.key")
    command = [
        find("openssl"),
        "req",
        "-x509",
        "-newkey",
        *KINDS[kind],
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    subprocess.run([*command, "-keyout", pair.key, "-out", pair.certificate], check=True, capture_output=True)
    # nginx's worker is somebody else where root starts it.
    pair.key.chmod(0o644)
    return pair


@cache
def tls_port(port: int) -> int:
    """Of the server whose other port this is. The next number may be that of a client's connection."""
    return free_port()


def handoff(pair: Pair, workspace: Workspace) -> Peer:
    """With its defaults, and no worker: it answers by itself, as nginx does."""
    workspace.handoff_jars()  # so that ./handoff does not build while the clock runs
    configuration = workspace.folder(f"tls-handoff-{pair.name}") / "handoff.json"
    answer = {"status": 200, "body": "hello\n", "headers": {"content-type": "text/plain"}}

    def command(port: int) -> list[str]:
        settings = {
            "port": port,
            "adminPort": 0,
            "socket": str(configuration.with_name("handoff.sock")),
            "tlsListen": f"127.0.0.1:{tls_port(port)}",
            "tlsCertificate": str(pair.certificate),
            "tlsKey": str(pair.key),
            "routes": [{"respond": answer}],
        }
        configuration.write_text(json.dumps(settings))
        return [str(ROOT / "handoff"), "serve", "--config", str(configuration)]

    return Peer(
        f"handoff-{pair.name}", "Handoff, `respond`", workspace.java_version(), command, workspace.environment()
    )


def nginx(pair: Pair, workspace: Workspace) -> Peer:
    program = find("nginx")
    folder = workspace.folder(f"tls-nginx-{pair.name}")
    template = (PEER_SOURCES / "nginx.conf").read_text().replace("@workers@", "1").replace("@directory@", str(folder))

    def command(port: int) -> list[str]:
        plain = f"listen 127.0.0.1:{port};"
        secure = f"listen 127.0.0.1:{tls_port(port)} ssl; ssl_protocols TLSv1.2 TLSv1.3;"
        files = f"ssl_certificate {pair.certificate}; ssl_certificate_key {pair.key};"
        configuration = folder / "nginx.conf"
        configuration.write_text(template.replace("listen 127.0.0.1:@port@;", f"{plain} {secure} {files}"))
        return [program, "-c", str(configuration)]

    version = output_of("sh", "-c", '"$0" -v 2>&1', program).rpartition("/")[2]
    return Peer(
        f"nginx-{pair.name}", "nginx `return 200`, 1 worker", f"nginx {version}", command, workspace.environment()
    )


def node(pair: Pair, workspace: Workspace) -> Peer:
    program = find("node")
    source = str(PEER_SOURCES / "node_https_hello.mjs")

    def command(port: int) -> list[str]:
        return [program, source, str(port), str(tls_port(port)), str(pair.certificate), str(pair.key)]

    version = f"Node {output_of(program, '--version').removeprefix('v')}"
    return Peer(f"node-{pair.name}", "node:https", version, command, workspace.environment())


BUILDERS: list[Callable[[Pair, Workspace], Peer]] = [handoff, nginx, node]
