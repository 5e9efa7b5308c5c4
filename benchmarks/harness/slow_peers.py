"""The servers that meet slow clients: each with one worker or loop, room for all of them, and a large answer at /large.

Their time limits are the ones they come with, since those are what protects them.
"""

from collections.abc import Callable
from dataclasses import replace

from harness import peers
from harness.peers import Peer
from harness.workspace import PEER_SOURCES, ROOT, Workspace, find

SOURCES = PEER_SOURCES / "slow_clients"
LARGE_BYTES = 256 * 1024
"""As in each of the sources."""


def handoff(workspace: Workspace, connections: int) -> Peer:
    peer = peers.handoff_python(workspace)

    def command(port: int) -> list[str]:
        run = [str(ROOT / "handoff"), "run", str(SOURCES / "handoff_large.py"), "--workers", "1", "--port", str(port)]
        return [*run, "--admin-port", "0", "--max-connections", str(connections)]

    return replace(peer, title="Handoff + Python worker", command=command)


def nginx(workspace: Workspace, connections: int) -> Peer:
    peer = peers.nginx(1, workspace)
    program = find("nginx")
    folder = workspace.folder("nginx-slow-clients")
    (folder / "large").write_bytes(b"x" * LARGE_BYTES)
    template = (SOURCES / "nginx.conf").read_text().replace("@directory@", str(folder))
    template = template.replace("@connections@", str(connections))

    def command(port: int) -> list[str]:
        configuration = folder / "nginx.conf"
        configuration.write_text(template.replace("@port@", str(port)))
        return [program, "-c", str(configuration)]

    return replace(peer, key="nginx", command=command)


def uvicorn(workspace: Workspace, connections: int) -> Peer:
    """Has no limit on connections unless asked for one."""
    peer = peers.uvicorn(workspace)

    def command(port: int) -> list[str]:
        return ["uvicorn_large:app" if word == "uvicorn_hello:app" else word for word in peer.command(port)]

    return replace(peer, command=command, environment={**peer.environment, "PYTHONPATH": str(SOURCES)})


def node_http(workspace: Workspace, connections: int) -> Peer:
    """Has no limit on connections unless asked for one."""
    node = find("node")
    command = [node, str(SOURCES / "node_http_large.mjs")]
    return replace(peers.node_http(workspace), command=lambda port: [*command, str(port)])


SLOW_PEERS: dict[str, Callable[[Workspace, int], Peer]] = {
    "handoff-python": handoff,
    "nginx": nginx,
    "uvicorn": uvicorn,
    "node-http": node_http,
}
