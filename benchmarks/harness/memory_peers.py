"""The servers whose memory is measured: Handoff with one worker each."""

import re
from collections.abc import Sequence
from dataclasses import replace

from harness.counted import admin_port
from harness.held_kinds import Kind
from harness.peers import Peer
from harness.tls_peers import make_pair, tls_port
from harness.tuning_topics import with_environment
from harness.workspace import PEER_SOURCES, ROOT, Workspace, find

SOURCES = PEER_SOURCES / "memory"
HELLO = {"Python": "examples-python/sdk_hello.py", "Node": "examples-node/sdk-hello.mjs"}
SECOND = {"Python": SOURCES / "second.py", "Node": SOURCES / "second.mjs"}
CONTAINER_MIB = 128
SMALL_HEAP = "-Xmx64m"
"""What Java takes by itself in a container of so much: half of it, where that is less than 128 MiB."""
LONG = "1h"
TIME_LIMITS = ("idle", "header", "body", "request", "stream-idle", "queue")
DEFAULT_FLAGS = re.compile(r"\$\{HANDOFF_JAVA_OPTS-([^}]*)\}")


def holding(kind: Kind, most: int, workspace: Workspace) -> Peer:
    """A server of so many of a kind, none of which ends while it is measured."""
    limits = [word for limit in TIME_LIMITS for word in (f"--{limit}-timeout", LONG)]
    takes = ["--concurrency", str(kind.window or most), *limits, "--queue-requests", str(most)]
    peer = _run(f"holds-{kind.key}", kind.title, SOURCES / "held.py", takes, _versions("Python", workspace), workspace)
    if not kind.tls:
        return peer
    pair = make_pair("P-256", workspace)
    files = ["--tls-certificate", str(pair.certificate), "--tls-key", str(pair.key)]

    def command(port: int) -> list[str]:
        return [*peer.command(port), "--tls-listen", f"127.0.0.1:{tls_port(port)}", *files]

    return replace(peer, command=command)


def hello(language: str, workspace: Workspace) -> Peer:
    """With its defaults."""
    key, title = f"hello-{language.lower()}", f"{language}, default heap"
    return _run(key, title, ROOT / HELLO[language], [], _versions(language, workspace), workspace)


def small_hello(language: str, workspace: Workspace) -> Peer:
    """With the default flags, and a heap for a small container."""
    peer = hello(language, workspace)
    flags = f"{default_flags((ROOT / 'handoff').read_text())} {SMALL_HEAP}"
    small = replace(peer, key=f"{peer.key}-small", title=f"{language}, `{SMALL_HEAP}`")
    return with_environment(small, HANDOFF_JAVA_OPTS=flags)


def second(language: str, connections: int, workspace: Workspace) -> Peer:
    """Takes a second for each request, and as many at once as there are connections."""
    takes = ["--concurrency", str(connections)]
    key = f"second-{language.lower()}"
    return _run(key, language, SECOND[language], takes, _versions(language, workspace), workspace)


def default_flags(script: str) -> str:
    """Those that the start script gives to Java."""
    found = DEFAULT_FLAGS.search(script)
    if not found:
        raise ValueError("the start script gives Java no flags in place of HANDOFF_JAVA_OPTS")
    return found[1]


def _run(key: str, title: str, worker: object, takes: Sequence[str], versions: str, workspace: Workspace) -> Peer:
    workspace.once(ROOT / "scripts" / "build", "trained")  # as packages are

    def command(port: int) -> list[str]:
        ports = ["--port", str(port), "--admin-port", str(admin_port(port))]
        return [str(ROOT / "handoff"), "run", str(worker), "--workers", "1", *ports, *takes]

    return Peer(key, title, versions, command, workspace.environment())


def _versions(language: str, workspace: Workspace) -> str:
    program = workspace.python() if language == "Python" else find("node")
    version = workspace.once(program, "--version").removeprefix("Python ").removeprefix("v")
    return f"{workspace.java_version()}, {language} {version}"
