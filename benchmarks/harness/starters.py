"""What is started to see how long it takes: Handoff's distribution, and the JDK's own HTTP server in the same kind of runtime."""

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

from harness.packaged import packaged
from harness.peers import JAVA_FLAGS
from harness.start_up import READY, Starter
from harness.workspace import ROOT, Unavailable, Workspace, find, output_of

PACKAGE = "dev.handoff.benchmarks"
# As scripts/dist makes its runtime.
SMALL_RUNTIME = ["--strip-debug", "--no-header-files", "--no-man-pages", "--compress", "zip-9"]
TRAINING_SECONDS = 60


def starters(workspace: Workspace) -> list[Starter]:
    folder = ROOT / output_of(ROOT / "scripts" / "dist", "folder")
    core = next((folder / "lib").glob("handoff-core-*.jar"))
    return [
        *_hello(workspace, "jdk", "JDK's HttpServer", "JdkHello", []),
        *_hello(workspace, "core", "Handoff's core as a library", "CoreHello", [core]),
        *_handoff(workspace, folder),
        *packaged(workspace, folder),
        *_interpreters(workspace),
    ]


def _hello(workspace: Workspace, key: str, title: str, main: str, libraries: list[Path]) -> list[Starter]:
    """A hello in Java with what a JDK brings, and in the two kinds of runtime that a distribution can have."""
    place = workspace.folder("start-up")
    jar, cache = place / f"{key}.jar", place / f"{key}.aot"
    class_path = os.pathsep.join(map(str, [jar, *libraries]))
    output_of(workspace.java("jar"), "--create", "--file", jar, "-C", workspace.compile_java(main, class_path), ".")
    small, run = _small_runtime(workspace), ["-cp", class_path, f"{PACKAGE}.{main}", "0"]
    _train([small, f"-XX:AOTCacheOutput={cache}", *JAVA_FLAGS, *run], cache)

    def starter(suffix: str, how: str, command: list[str]) -> Starter:
        versions, environment = workspace.java_version(), workspace.environment()
        return Starter(f"{key}{suffix}", f"{title}, {how}", versions, [*command, *JAVA_FLAGS, *run], environment)

    return [
        starter("", "JDK with its class archive", [workspace.java()]),
        starter("-small", "jlink runtime", [small]),
        starter("-aot", "jlink runtime, AOT cache", [small, f"-XX:AOTCache={cache}"]),
    ]


def _small_runtime(workspace: Workspace) -> str:
    """Java as scripts/dist links it, with the one module more that has the JDK's server."""
    runtime = workspace.folder("start-up") / "runtime"
    java = runtime / "bin" / "java"
    if not java.exists() or output_of(java, "--version") != output_of(workspace.java(), "--version"):
        shutil.rmtree(runtime, ignore_errors=True)
        modules = "jdk.httpserver,jdk.net,jdk.unsupported"
        output_of(workspace.java("jlink"), "--add-modules", modules, *SMALL_RUNTIME, "--output", runtime)
    return str(java)


def _train(command: list[str], cache: Path) -> None:
    """Serves one request, and has Java write down what that took."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout
        found = next(filter(None, map(READY.search, process.stdout)), None)
        if found is None:
            raise Unavailable(f"it did not start: {' '.join(command)}")
        output_of("curl", "--silent", "--fail", f"http://127.0.0.1:{found[1]}/")
        process.terminate()
        deadline = time.monotonic() + TRAINING_SECONDS
        for _ in process.stdout:  # until it has been written
            if time.monotonic() > deadline:
                process.kill()
    if not cache.exists():
        raise Unavailable(f"it was not made: {cache}")


def _handoff(workspace: Workspace, folder: Path) -> list[Starter]:
    flags = " ".join([*JAVA_FLAGS, "-XX:AOTMode=off"])

    def starter(key: str, title: str, worker: str, variables: dict[str, str] | None = None) -> Starter:
        run = [
            str(folder / "handoff"),
            "run",
            str(folder / worker),
            "--workers",
            "1",
            "--port",
            "0",
            "--admin-port",
            "0",
        ]
        environment = workspace.environment() | (variables or {})
        return Starter(key, f"Handoff, {title}", workspace.java_version(), run, environment)

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
