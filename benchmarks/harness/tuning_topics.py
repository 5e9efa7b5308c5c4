"""What can be set when Handoff is deployed: each topic is a few servers that differ in one thing, measured side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from harness.peers import JAVA_FLAGS, Peer
from harness.server import free_port
from harness.shapes import SHAPES, Shape
from harness.workspace import PEER_SOURCES, ROOT, Workspace, find

HELLO = "examples-python/sdk_hello.py"
HANDLER = "benchmarks/peers/tuning/handler.py"
KEPT = SHAPES["hello"]
CLOSED = Shape("closed", "a new connection for each request", headers=(("Connection", "close"),))


@dataclass(frozen=True)
class Topic:
    title: str
    peers: Sequence[Peer]
    shapes: Sequence[Shape] = (KEPT,)


def topics(workspace: Workspace) -> list[Topic]:
    def hello(title: str, *options: str) -> Peer:
        return handoff(workspace, title, HELLO, *options)

    def handler(kind: str, title: str, *options: str) -> Peer:
        return with_environment(handoff(workspace, title, HANDLER, *options), TUNING_HANDLER=kind)

    def heap(title: str, *flags: str) -> Peer:
        return with_environment(hello(title), HANDOFF_JAVA_OPTS=" ".join([*JAVA_FLAGS, *flags]))

    log = str(workspace.folder("tuning") / "access.log")
    return [
        Topic("event loops, hello", [hello(f"`--loops {n}`", "--loops", str(n)) for n in (1, 2)]),
        *(
            Topic(
                f"workers, a handler that {what}",
                [handler(kind, f"`--workers {n}`", "--workers", str(n)) for n in (1, 2, 4)],
            )
            for kind, what in (("computes", "computes 1 ms"), ("waits", "blocks for 10 ms"))
        ),
        *(
            Topic(
                f"window, a handler that {what}",
                [handler(kind, f"`--concurrency {n}`", "--concurrency", str(n)) for n in (1, 4, 16, 64)],
            )
            for kind, what in (("computes", "computes 1 ms"), ("awaits", "is a coroutine and awaits 10 ms"))
        ),
        Topic("connections, hello", [hello("kept")], (KEPT, CLOSED)),
        Topic(
            "a proxy in front, hello",
            [
                hello("none"),
                behind_nginx(workspace, "nginx, connections to Handoff kept", ""),
                behind_nginx(workspace, "nginx, a new one for each request", "close"),
            ],
        ),
        Topic("heap, hello", [heap("default"), heap("`-Xmx128m`", "-Xmx128m"), heap("`-Xmx64m`", "-Xmx64m")]),
        Topic("access log, hello", [hello("off"), hello("to a file", "--access-log", log)]),
    ]


def handoff(workspace: Workspace, title: str, worker: str, *options: str) -> Peer:
    """One worker unless the options say otherwise; the key tells servers of one topic apart."""
    workspace.handoff_jars()  # so that ./handoff does not build while the clock runs
    workers = [] if "--workers" in options else ["--workers", "1"]

    def command(port: int) -> list[str]:
        start = [str(ROOT / "handoff"), "run", str(ROOT / worker), "--port", str(port), "--admin-port", "0"]
        return [*start, *workers, *options]

    return Peer(key_of(title), title, "", command, workspace.environment())


def behind_nginx(workspace: Workspace, title: str, connection: str) -> Peer:
    """`connection` is the field that nginx sends to Handoff."""
    nginx = find("nginx")
    folder = workspace.folder(key_of(title))
    template = (PEER_SOURCES / "tuning" / "nginx.conf").read_text()
    behind = handoff(workspace, title, HELLO)

    def command(port: int) -> list[str]:
        upstream = free_port()
        values = {"port": port, "upstream": upstream, "connection": connection, "directory": folder}
        filled = template
        for name, value in values.items():
            filled = filled.replace(f"@{name}@", str(value))
        configuration = folder / "nginx.conf"
        configuration.write_text(filled)
        both = [str(PEER_SOURCES / "tuning" / "behind_nginx.py"), nginx, str(configuration)]
        return [workspace.python(), *both, *behind.command(upstream)]

    return replace(behind, command=command)


def with_environment(peer: Peer, **variables: str) -> Peer:
    return replace(peer, environment={**peer.environment, **variables})


def key_of(title: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in title).strip("-")
