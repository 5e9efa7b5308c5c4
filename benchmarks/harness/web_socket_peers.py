"""The servers that echo messages of WebSockets: each with one worker or loop. All have peers/web_sockets as their application."""

from collections.abc import Callable
from dataclasses import replace

from harness import frameworks, peers
from harness.peers import Peer
from harness.workspace import PEER_SOURCES, ROOT, Workspace, find

SOURCES = PEER_SOURCES / "web_sockets"
PYTHON, NODE = SOURCES / "echo_app.py", SOURCES / "echo_app.mjs"


def handoff_python(workspace: Workspace, connections: int) -> Peer:
    return _handoff(frameworks.handoff("asgi", workspace), "handoff-python", "Handoff, ASGI", PYTHON, connections)


def handoff_node(workspace: Workspace, connections: int) -> Peer:
    return _handoff(peers.handoff_sdk_node(workspace), "handoff-node", "Handoff, ws on node:http", NODE, connections)


def _handoff(peer: Peer, key: str, title: str, source: object, connections: int) -> Peer:
    run = [str(ROOT / "handoff"), "run", str(source), "--workers", "1", "--admin-port", "0"]
    run += ["--max-connections", str(connections)]
    return replace(peer, key=key, title=title, command=lambda port: [*run, "--port", str(port)])


def uvicorn(workspace: Workspace, connections: int) -> Peer:
    return _of_asgi(
        frameworks.uvicorn("asgi", workspace), "uvicorn", "uvicorn, websockets", ["--ws", "websockets-sansio"]
    )


def granian(workspace: Workspace, connections: int) -> Peer:
    more = ["--backpressure", str(connections), "--ws"]
    return _of_asgi(frameworks.granian("asgi", "asgi", workspace), "granian", "granian, ASGI", more)


def _of_asgi(peer: Peer, key: str, title: str, more: list[str]) -> Peer:
    def command(port: int) -> list[str]:
        words = ["echo_app:app" if word == "uvicorn_hello:app" else word for word in peer.command(port)]
        own = [str(SOURCES) if word == str(PEER_SOURCES) else word for word in words if word != "--no-ws"]
        return own + more

    return replace(peer, key=key, title=title, command=command)


def node_http(workspace: Workspace, connections: int) -> Peer:
    command = [find("node"), str(NODE)]
    return replace(peers.node_http(workspace), title="ws on node:http", command=lambda port: [*command, str(port)])


WEB_SOCKET_PEERS: dict[str, Callable[[Workspace, int], Peer]] = {
    "handoff-python": handoff_python,
    "uvicorn": uvicorn,
    "granian": granian,
    "handoff-node": handoff_node,
    "node-http": node_http,
}
