"""The servers that stream: each with one worker or loop, and room for thousands of streams. All have peers/streams as their application."""

from collections.abc import Callable
from dataclasses import replace

from harness import frameworks, peers
from harness.peers import Peer
from harness.workspace import PEER_SOURCES, ROOT, Workspace, find

SOURCES = PEER_SOURCES / "streams"
PYTHON, NODE = SOURCES / "streams_app.py", SOURCES / "streams_app.mjs"


def handoff_python(workspace: Workspace, connections: int) -> Peer:
    return _handoff(frameworks.handoff("asgi", workspace), "handoff-python", "Handoff, ASGI", PYTHON, connections)


def handoff_node(workspace: Workspace, connections: int) -> Peer:
    return _handoff(peers.handoff_sdk_node(workspace), "handoff-node", "Handoff, node:http", NODE, connections)


def _handoff(peer: Peer, key: str, title: str, source: object, connections: int) -> Peer:
    run = [str(ROOT / "handoff"), "run", str(source), "--workers", "1", "--admin-port", "0", "--max-body", "1GiB"]
    run += ["--max-connections", str(connections)]
    return replace(peer, key=key, title=title, command=lambda port: [*run, "--port", str(port)])


def uvicorn(workspace: Workspace, connections: int) -> Peer:
    return _of_asgi(frameworks.uvicorn("asgi", workspace), "uvicorn", [])


def granian(workspace: Workspace, connections: int) -> Peer:
    """Takes a thousand requests at once unless told otherwise."""
    return _of_asgi(frameworks.granian("asgi", "asgi", workspace), "granian", ["--backpressure", str(connections)])


def _of_asgi(peer: Peer, key: str, more: list[str]) -> Peer:
    def command(port: int) -> list[str]:
        words = ["streams_app:app" if word == "uvicorn_hello:app" else word for word in peer.command(port)]
        return [str(SOURCES) if word == str(PEER_SOURCES) else word for word in words] + more

    return replace(peer, key=key, title=f"{key}, ASGI", command=command)


def node_http(workspace: Workspace, connections: int) -> Peer:
    command = [find("node"), str(NODE)]
    return replace(peers.node_http(workspace), command=lambda port: [*command, str(port)])


STREAM_PEERS: dict[str, Callable[[Workspace, int], Peer]] = {
    "handoff-python": handoff_python,
    "uvicorn": uvicorn,
    "granian": granian,
    "handoff-node": handoff_node,
    "node-http": node_http,
}
