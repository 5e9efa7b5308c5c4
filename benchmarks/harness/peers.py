"""The servers that are measured. Each is built by a function that finds, fetches or compiles what it needs."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial

from harness.options import tell
from harness.workspace import PEER_SOURCES, ROOT, Unavailable, Workspace, find, output_of

MICROHTTP_VERSION = "0.11"
# As ./handoff gives them to Java, so that no peer runs with another collector.
JAVA_FLAGS = ["-XX:+UseParallelGC", "-XX:-UsePerfData"]


@dataclass(frozen=True)
class Peer:
    key: str
    title: str
    versions: str
    command: Callable[[int], list[str]]
    """The command that serves a port."""
    environment: dict[str, str]


def core(key: str, title: str, main: str, workspace: Workspace) -> Peer:
    class_path = f"{workspace.handoff_jars()}/*"
    classes = workspace.compile_java(main, class_path)
    command = _java_command(workspace, main, f"{classes}:{class_path}")
    return Peer(key, title, workspace.java_version(), command, workspace.environment())


def microhttp(workspace: Workspace) -> Peer:
    jar = workspace.maven_jar("org.microhttp:microhttp", MICROHTTP_VERSION)
    classes = workspace.compile_java("MicrohttpHello", str(jar))
    command = _java_command(workspace, "MicrohttpHello", f"{classes}:{jar}")
    versions = f"microhttp {MICROHTTP_VERSION}, {workspace.java_version()}"
    return Peer("microhttp", "microhttp, 1 loop", versions, command, workspace.environment())


def _java_command(workspace: Workspace, main: str, class_path: str) -> Callable[[int], list[str]]:
    start = [workspace.java(), *JAVA_FLAGS, "-cp", class_path, f"dev.handoff.benchmarks.{main}"]
    return lambda port: [*start, str(port)]


def handoff(key: str, title: str, worker: str, interpreter: str, workspace: Workspace) -> Peer:
    """Handoff with all its defaults (the admin server included) and one worker."""
    workspace.handoff_jars()  # so that ./handoff does not build while the clock runs

    def command(port: int) -> list[str]:
        run = [str(ROOT / "handoff"), "run", str(ROOT / worker), "--workers", "1", "--port", str(port)]
        return [*run, "--admin-port", "0"]

    return Peer(key, title, f"{workspace.java_version()}, {interpreter}", command, workspace.environment())


def handoff_python(workspace: Workspace) -> Peer:
    title = "Handoff + Python worker, json"
    return handoff("handoff-python", title, "examples-python/hello.py", _python_version(workspace), workspace)


def handoff_sdk_python(workspace: Workspace) -> Peer:
    title = "Handoff + Python SDK, plain function"
    return handoff("handoff-sdk-python", title, "examples-python/sdk_hello.py", _python_version(workspace), workspace)


def handoff_node(workspace: Workspace) -> Peer:
    title = "Handoff + Node worker"
    return handoff("handoff-node", title, "examples-node/hello.mjs", _node_version(workspace), workspace)


def handoff_sdk_node(workspace: Workspace) -> Peer:
    title = "Handoff + Node SDK, plain function"
    return handoff("handoff-sdk-node", title, "examples-node/sdk-hello.mjs", _node_version(workspace), workspace)


def uvicorn(workspace: Workspace) -> Peer:
    python = workspace.python()
    packages = workspace.once(python, "-m", "pip", "freeze").splitlines()
    measured = [
        package.replace("==", " ") for package in packages if package.startswith(("uvicorn", "uvloop", "httptools"))
    ]

    def command(port: int) -> list[str]:
        serve = [python, "-m", "uvicorn", "--app-dir", str(PEER_SOURCES), "uvicorn_hello:app", "--port", str(port)]
        return [*serve, "--loop=uvloop", "--http=httptools", "--lifespan=off", "--no-access-log", "--log-level=warning"]

    versions = ", ".join([*measured, _python_version(workspace)])
    return Peer("uvicorn", "uvicorn, uvloop + httptools, bare ASGI", versions, command, workspace.environment())


def node_http(workspace: Workspace) -> Peer:
    node = find("node")

    def command(port: int) -> list[str]:
        return [node, str(PEER_SOURCES / "node_http_hello.mjs"), str(port)]

    return Peer("node-http", "node:http", _node_version(workspace), command, workspace.environment())


def nginx(workers: int, workspace: Workspace) -> Peer:
    program = find("nginx")
    folder = workspace.folder(f"nginx-{workers}")
    template = (PEER_SOURCES / "nginx.conf").read_text()

    def command(port: int) -> list[str]:
        filled = template.replace("@workers@", str(workers)).replace("@port@", str(port))
        configuration = folder / "nginx.conf"
        configuration.write_text(filled.replace("@directory@", str(folder)))
        return [program, "-c", str(configuration)]

    title = f"nginx `return 200`, {workers} {'worker' if workers == 1 else 'workers'}"
    versions = f"nginx {_nginx_version(program)}"
    return Peer(f"nginx-{workers}", title, versions, command, workspace.environment())


def _python_version(workspace: Workspace) -> str:
    return workspace.once(workspace.python(), "--version")


def _node_version(workspace: Workspace) -> str:
    return "Node " + workspace.once(find("node"), "--version").removeprefix("v")


def _nginx_version(program: str) -> str:
    return output_of("sh", "-c", '"$0" -v 2>&1', program).rpartition("/")[2]


OURS = ("core", "core-counted", "handoff-python", "handoff-sdk-python", "handoff-node", "handoff-sdk-node")
GROUPS: dict[str, dict[str, Callable[[Workspace], Peer]]] = {
    "The core": {
        "core": partial(core, "core", "Handoff's core alone, 1 loop", "CoreHello"),
        "core-counted": partial(core, "core-counted", "the same, counting for the admin server", "CoreCounted"),
        "microhttp": microhttp,
        "nginx-1": partial(nginx, 1),
        "nginx-2": partial(nginx, 2),
    },
    "Python": {
        "handoff-python": handoff_python,
        "handoff-sdk-python": handoff_sdk_python,
        "uvicorn": uvicorn,
    },
    "Node": {
        "handoff-node": handoff_node,
        "handoff-sdk-node": handoff_sdk_node,
        "node-http": node_http,
    },
}
"""Those of a group are compared with each other."""


def prepare(
    builders: Mapping[str, Callable[[Workspace], Peer]],
    only: Collection[str] | None,
    ours: Collection[str],
    workspace: Workspace,
) -> list[Peer]:
    """Builds the servers; leaves out others' that this machine lacks, unless they were asked for by name."""
    peers = []
    for key in only or builders:
        try:
            peers.append(builders[key](workspace))
        except Unavailable as problem:
            if only or key in ours:
                raise
            tell(f"left out: {key}: {problem}")
    if not peers:
        raise Unavailable("no server to measure")
    return peers
