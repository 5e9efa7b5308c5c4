"""The servers that run the same unchanged Node application: on Handoff, and on the server that comes with it."""

import json
from collections.abc import Callable
from functools import partial

from harness.peers import Peer, handoff_sdk_node, node_http
from harness.workspace import PEER_SOURCES, ROOT, Unavailable, Workspace, find

TITLES = {
    "fetch": "a Fetch handler",
    "express": "Express",
    "fastify": "Fastify",
    "koa": "Koa",
    "hono": "Hono",
}


def handoff(application: str, workspace: Workspace) -> Peer:
    workspace.handoff_jars()  # so that ./handoff does not build while the clock runs
    run = [str(ROOT / "handoff"), "run", _source(application), "--workers", "1", "--admin-port", "0"]
    title = f"{TITLES[application]} on Handoff"
    return _peer(application, "handoff", title, workspace, lambda port: [*run, "--port", str(port)])


def node_http_handoff(workspace: Workspace) -> Peer:
    """The program of `node-http`, unchanged."""
    own = node_http(workspace)
    run = [str(ROOT / "handoff"), "run", str(PEER_SOURCES / "node_http_hello.mjs"), "--workers", "1"]
    workspace.handoff_jars()
    versions = f"{workspace.java_version()}, {own.versions}"
    start = [*run, "--admin-port", "0", "--port"]
    return Peer(
        "node-http-handoff", "node:http on Handoff", versions, lambda port: [*start, str(port)], own.environment
    )


def node(application: str, workspace: Workspace) -> Peer:
    serve = [find("node"), _source(application)]
    title = f"{TITLES[application]} on its own server"
    return _peer(application, "node", title, workspace, lambda port: [*serve, str(port)])


def _source(application: str) -> str:
    return str(PEER_SOURCES / "node" / f"{application}_hello.mjs")


def _peer(application: str, server: str, title: str, workspace: Workspace, command: Callable[[int], list[str]]) -> Peer:
    environment = workspace.environment() | {"NODE_ENV": "production"}
    return Peer(f"{application}-{server}", title, _versions(application, workspace), command, environment)


def _versions(application: str, workspace: Workspace) -> str:
    interpreter = "Node " + workspace.once(find("node"), "--version").removeprefix("v")
    if application == "fetch":
        return interpreter
    package = ROOT / "node_modules" / application / "package.json"
    if not package.exists():
        raise Unavailable(f"{application} is not installed: make node_modules/installed")
    return f"{application} {json.loads(package.read_text())['version']}, {interpreter}"


NODE_FRAMEWORK_GROUPS: dict[str, dict[str, Callable[[Workspace], Peer]]] = {
    "Bare Node": {
        "handoff-sdk-node": handoff_sdk_node,
        "fetch-handoff": partial(handoff, "fetch"),
        "node-http-handoff": node_http_handoff,
        "node-http": node_http,
    },
    **{
        TITLES[application]: {
            f"{application}-handoff": partial(handoff, application),
            f"{application}-node": partial(node, application),
        }
        for application in ("express", "fastify", "koa", "hono")
    },
}
"""Those of a group are compared with each other."""
