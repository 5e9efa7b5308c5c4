"""One HTTP server, asked directly and through Handoff, nginx and HAProxy."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness.peers import Peer
from harness.workspace import PEER_SOURCES, ROOT, Workspace, find, output_of

SOURCES = ROOT / "examples-http"
BEHIND = """\
    upstream server {
        server 127.0.0.1:@behind@;
        keepalive 64;
    }
"""
PASSED = 'proxy_pass http://server; proxy_http_version 1.1; proxy_set_header Connection "";'
HAPROXY = """\
global
    nbthread 1
    log stderr format raw local0 err
defaults
    mode http
    timeout connect 3s
    timeout client 60s
    timeout server 60s
    http-reuse always
frontend front
    bind 127.0.0.1:@port@
    default_backend server
backend server
    server one 127.0.0.1:@behind@
"""


@dataclass(frozen=True)
class Upstream:
    """A server that listens at the port in PORT."""

    key: str
    title: str
    versions: str
    command: list[str]


def go(workspace: Workspace) -> Upstream:
    program = find("go")
    binary = workspace.folder("http-server-go") / "server"
    output_of(program, "build", "-o", binary, SOURCES / "go" / "server.go")
    return Upstream("go", "Go's net/http", output_of(program, "version"), [str(binary)])


def node(workspace: Workspace) -> Upstream:
    program = find("node")
    versions = f"Node {output_of(program, '--version').removeprefix('v')}"
    return Upstream("node", "node:http", versions, [program, str(SOURCES / "node" / "server.mjs")])


def direct(upstream: Upstream, workspace: Workspace) -> Peer:
    def command(port: int) -> list[str]:
        return ["env", f"PORT={port}", *upstream.command]

    return Peer(f"{upstream.key}-direct", "directly", upstream.versions, command, workspace.environment())


def handoff(upstream: Upstream, workspace: Workspace) -> Peer:
    workspace.handoff_jars()  # so that ./handoff does not build while the clock runs

    def command(port: int) -> list[str]:
        run = [str(ROOT / "handoff"), "run", "--http", "--port", str(port), "--admin-port", "0"]
        return [*run, "--", *upstream.command]

    return Peer(
        f"{upstream.key}-handoff", "Handoff `--http`", workspace.java_version(), command, workspace.environment()
    )


def nginx(upstream: Upstream, workspace: Workspace) -> Peer:
    program = find("nginx")
    folder = workspace.folder(f"nginx-proxy-{upstream.key}")
    template = (PEER_SOURCES / "nginx.conf").read_text().replace("    server {\n", f"{BEHIND}\n    server {{\n", 1)
    template = template.replace('return 200 "hello\\n";', PASSED).replace("@workers@", "1")
    version = output_of("sh", "-c", '"$0" -v 2>&1', program).rpartition("/")[2]
    return _proxy(upstream, "nginx", f"nginx {version}", [program, "-c"], folder / "nginx.conf", template, workspace)


def haproxy(upstream: Upstream, workspace: Workspace) -> Peer:
    program = find("haproxy")
    folder = workspace.folder(f"haproxy-proxy-{upstream.key}")
    version = " ".join(output_of(program, "-v").split()[:3])
    return _proxy(upstream, "HAProxy", version, [program, "-f"], folder / "haproxy.cfg", HAPROXY, workspace)


def _proxy(
    upstream: Upstream,
    title: str,
    versions: str,
    start: list[str],
    configuration: Path,
    template: str,
    workspace: Workspace,
) -> Peer:
    def command(port: int) -> list[str]:
        behind = port + 1 if port < 65_535 else port - 1
        filled = template.replace("@port@", str(port)).replace("@behind@", str(behind))
        configuration.write_text(filled.replace("@directory@", str(configuration.parent)))
        # The proxy takes the shell's place, so that both are one tree of processes.
        is_there = f"(exec 3<>/dev/tcp/127.0.0.1/{behind}) 2>/dev/null"
        script = (
            f'PORT={behind} "$0" "$@" & until {is_there}; do sleep 0.05; done; exec {" ".join(start)} {configuration}'
        )
        return ["bash", "-c", script, *upstream.command]

    return Peer(f"{upstream.key}-{start[0].rpartition('/')[2]}", title, versions, command, workspace.environment())


UPSTREAMS: list[Callable[[Workspace], Upstream]] = [go, node]
WAYS: list[Callable[[Upstream, Workspace], Peer]] = [direct, handoff, nginx, haproxy]
