"""What is started to see how long it takes: Handoff's distribution, and the JDK's own HTTP server in the same kind of runtime."""

import re
import shutil
import subprocess
import time
from pathlib import Path

from harness.peers import JAVA_FLAGS
from harness.start_up import READY, Starter
from harness.workspace import ROOT, Unavailable, Workspace, find, output_of

JDK_HELLO = "dev.handoff.benchmarks.JdkHello"
# As scripts/dist makes its runtime.
SMALL_RUNTIME = ["--strip-debug", "--no-header-files", "--no-man-pages", "--compress", "zip-9"]
TRAINING_SECONDS = 60


def starters(workspace: Workspace) -> list[Starter]:
    folder = ROOT / output_of(ROOT / "scripts" / "dist", "folder")
    return [*_jdk_hello(workspace), *_handoff(workspace, folder), *_interpreters(workspace)]


def _jdk_hello(workspace: Workspace) -> list[Starter]:
    jar, cache = workspace.folder("start-up") / "jdk-hello.jar", workspace.folder("start-up") / "jdk-hello.aot"
    classes = workspace.compile_java("JdkHello", "")
    output_of(workspace.java("jar"), "--create", "--file", str(jar), "-C", classes, ".")
    runtime = workspace.folder("start-up") / "runtime"
    shutil.rmtree(runtime, ignore_errors=True)
    output_of(workspace.java("jlink"), "--add-modules", "jdk.httpserver", *SMALL_RUNTIME, "--output", runtime)
    small, run = str(runtime / "bin" / "java"), ["-cp", str(jar), JDK_HELLO]
    _train([small, f"-XX:AOTCacheOutput={cache}", *JAVA_FLAGS, *run], cache)

    def starter(key: str, how: str, command: list[str]) -> Starter:
        title = f"JDK's HttpServer, hello, {how}"
        return Starter(key, title, workspace.java_version(), [*command, *JAVA_FLAGS, *run], workspace.environment())

    return [
        starter("jdk", "JDK with its class archive", [workspace.java()]),
        starter("jdk-small", "jlink runtime", [small]),
        starter("jdk-aot", "jlink runtime, AOT cache", [small, f"-XX:AOTCache={cache}"]),
    ]


def _train(command: list[str], cache: Path) -> None:
    """Serves one request, and has Java write down what that took."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout
        found = next(filter(None, map(READY.search, process.stdout)), None)
        if found is None:
            raise Unavailable(f"{JDK_HELLO} did not start")
        output_of("curl", "--silent", "--fail", f"http://127.0.0.1:{found[1]}/")
        process.terminate()
        deadline = time.monotonic() + TRAINING_SECONDS
        for _ in process.stdout:  # until it has been written
            if time.monotonic() > deadline:
                process.kill()
    if not cache.exists():
        raise Unavailable(f"no AOT cache of {JDK_HELLO} was made")


def _handoff(workspace: Workspace, folder: Path) -> list[Starter]:
    flags = " ".join([*JAVA_FLAGS, "-XX:AOTMode=off"])

    def starter(key: str, title: str, worker: str | None, variables: dict[str, str] | None = None) -> Starter:
        arguments = ["run", str(folder / worker), "--workers", "1"] if worker else ["serve"]
        socket = [] if worker else ["--socket", str(workspace.folder("start-up") / "handoff.sock")]
        command = [str(folder / "handoff"), *arguments, *socket, "--port", "0", "--admin-port", "0"]
        environment = workspace.environment() | (variables or {})
        return Starter(key, f"Handoff, {title}", workspace.java_version(), command, environment)

    return [
        starter("handoff-python", "Python worker", "examples-python/hello.py"),
        starter("handoff-node", "Node worker", "examples-node/hello.mjs"),
        starter(
            "handoff-small",
            "Python worker, without the AOT cache",
            "examples-python/hello.py",
            {"HANDOFF_JAVA_OPTS": flags},
        ),
    ]


def _interpreters(workspace: Workspace) -> list[Starter]:
    python, node = workspace.python(), find("node")
    environment = workspace.environment()
    return [
        Starter("python", "Python alone", _version(python), [python, "-c", "print('ready')"], environment),
        Starter("node", "Node alone", _version(node), [node, "-e", "console.log('ready')"], environment),
    ]


def _version(interpreter: str) -> str:
    return re.sub("^v", "Node ", output_of(interpreter, "--version"))
