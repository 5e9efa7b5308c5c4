"""Servers that send the files of one folder: Handoff by a route, nginx, express.static and WhiteNoise."""

import json
import os
from collections.abc import Callable
from pathlib import Path

from harness.peers import Peer
from harness.workspace import PEER_SOURCES, ROOT, Workspace, find, output_of

SIZES = {"1k": 1 << 10, "100k": 100 << 10, "100m": 100 << 20}
"""The files, by their names."""


def make_files(workspace: Workspace) -> Path:
    """The folder; its index is what all servers are asked for first."""
    folder = workspace.folder("files")
    (folder / "index.html").write_bytes(b"hello\n")
    for name, size in SIZES.items():
        file = folder / name
        if not file.exists() or file.stat().st_size != size:
            file.write_bytes(os.urandom(size))
    return folder


def handoff(folder: Path, workspace: Workspace) -> Peer:
    """With its defaults, and no worker."""
    workspace.handoff_jars()  # so that ./handoff does not build while the clock runs
    configuration = workspace.folder("files-handoff") / "handoff.json"
    configuration.write_text(json.dumps({"routes": [{"files": {"folder": str(folder)}}]}))

    def command(port: int) -> list[str]:
        serve = [str(ROOT / "handoff"), "serve", "--config", str(configuration)]
        socket = configuration.with_name("handoff.sock")  # the usual one may be another server's
        return [*serve, "--port", str(port), "--admin-port", "0", "--socket", str(socket)]

    return Peer("handoff-files", "Handoff, `files`", workspace.java_version(), command, workspace.environment())


def nginx(sendfile: bool, folder: Path, workspace: Workspace) -> Peer:
    """As Debian configures it (`sendfile on`), or as it is built (off): then it copies, as Handoff does."""
    program = find("nginx")
    word = "on" if sendfile else "off"
    place = workspace.folder(f"nginx-files-{word}")
    template = (PEER_SOURCES / "nginx.conf").read_text()
    served = f"root {folder}; sendfile {word}; tcp_nopush {word};"

    def command(port: int) -> list[str]:
        filled = (
            template.replace("@workers@", "1").replace("@port@", str(port)).replace('return 200 "hello\\n";', served)
        )
        configuration = place / "nginx.conf"
        configuration.write_text(filled.replace("@directory@", str(place)))
        return [program, "-c", str(configuration)]

    version = output_of("sh", "-c", '"$0" -v 2>&1', program).rpartition("/")[2]
    title = f"nginx, 1 worker, `sendfile {word}`"
    return Peer(f"nginx-sendfile-{word}", title, f"nginx {version}", command, workspace.environment())


def express(folder: Path, workspace: Workspace) -> Peer:
    node = find("node")
    source = PEER_SOURCES / "node" / "express_static.mjs"
    version = json.loads((ROOT / "node_modules" / "express" / "package.json").read_text())["version"]

    def command(port: int) -> list[str]:
        return [node, str(source), str(port), str(folder)]

    versions = f"Express {version}, Node {output_of(node, '--version').removeprefix('v')}"
    environment = workspace.environment() | {"NODE_ENV": "production"}
    return Peer("express-static", "express.static", versions, command, environment)


def whitenoise(folder: Path, workspace: Workspace) -> Peer:
    """Behind gunicorn with threads, as its documents have it."""
    python = workspace.python()

    def command(port: int) -> list[str]:
        serve = [python, "-m", "gunicorn", "--chdir", str(PEER_SOURCES), "--threads", "8", "--log-level", "warning"]
        return [*serve, "--bind", f"127.0.0.1:{port}", "whitenoise_files:app"]

    packages = output_of(python, "-m", "pip", "freeze").splitlines()
    versions = ", ".join(each.replace("==", " ") for each in packages if each.startswith(("whitenoise", "gunicorn")))
    environment = workspace.environment() | {"FILES": str(folder)}
    return Peer("whitenoise", "WhiteNoise on gunicorn, 8 threads", versions, command, environment)


BUILDERS: list[Callable[[Path, Workspace], Peer]] = [
    handoff,
    lambda folder, workspace: nginx(True, folder, workspace),
    lambda folder, workspace: nginx(False, folder, workspace),
    express,
    whitenoise,
]
