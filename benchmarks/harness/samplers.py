"""Programs that look at running processes many times a second and write down what they were doing."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Protocol

from harness.options import tell
from harness.stacks import Stacks, from_async_profiler, from_perf, from_py_spy, from_v8
from harness.workspace import PEER_SOURCES, Unavailable, Workspace, output_of

ASYNC_PROFILER_VERSION = "4.6"
# Java tells places between its safe points only when it is asked to.
JAVA_OPTIONS = "-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints -XX:+EnableDynamicAgentLoading"
PER_SECOND = 997
"""No round number, so that nothing that happens regularly is always or never seen."""
PYTHON_PER_SECOND = 199
"""Less, because it is a process of its own that reads the memory of another."""
WRITTEN_SECONDS = 20


class Sampler(Protocol):
    def start(self) -> None: ...

    def stop(self) -> Stacks: ...


class Java:
    """async-profiler: processor time of all threads, with Java's, the machine's own and the kernel's frames."""

    def __init__(self, workspace: Workspace, process: int) -> None:
        self._jcmd = workspace.java("jcmd")
        self._process = process
        self._library = _library(workspace)
        self._written = workspace.folder("profiles") / "core.folded"

    def start(self) -> None:
        self._written.unlink(missing_ok=True)
        self._ask(f"start,event=cpu-clock,interval={1_000_000_000 // PER_SECOND},threads")

    def stop(self) -> Stacks:
        self._ask(f"stop,collapsed,ann,threads,file={self._written}")
        return from_async_profiler(self._written.read_text())

    def _ask(self, options: str) -> None:
        # In quotes, since jcmd takes commas and equality signs for its own.
        said = output_of(self._jcmd, str(self._process), "JVMTI.agent_load", str(self._library), f'"{options}"')
        if "return code: 0" not in said:
            raise Unavailable(f"async-profiler: {said}")


class Python:
    """
    py-spy: Python's and C's frames of whoever holds the interpreter's lock.

    It stops the process while it reads its memory. Else lock and frames would be of two moments, and those of the later
    one often in a system call.
    """

    def __init__(self, workspace: Workspace, process: int) -> None:
        self._program = Path(workspace.python()).with_name("py-spy")
        self._process = process
        self._written = workspace.folder("profiles") / "python.folded"
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [str(self._program), "record", "--pid", str(self._process), "--format", "raw", "--gil", "--native"]
        command += ["--rate", str(PYTHON_PER_SECOND), "--duration", "3600", "--output", str(self._written)]
        self._running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self) -> Stacks:
        assert self._running
        _interrupt(self._running, "py-spy")
        return from_py_spy(self._written.read_text())


class Node:
    """V8's own profiler, as in `node --cpu-prof`, but of this time alone; `peers/node_profile.mjs` has been loaded."""

    def __init__(self, workspace: Workspace, process: int) -> None:
        self._process = process
        self._written = written_by_node(workspace)

    def start(self) -> None:
        self._written.unlink(missing_ok=True)
        os.kill(self._process, signal.SIGUSR2)

    def stop(self) -> Stacks:
        os.kill(self._process, signal.SIGUSR2)
        deadline = time.monotonic() + WRITTEN_SECONDS
        while not self._written.exists():
            if time.monotonic() > deadline:
                raise Unavailable("Node wrote no profile")
            time.sleep(0.05)
        return from_v8(json.loads(self._written.read_text()))


class Kernel:
    """perf: what the kernel does for a process; nothing where this machine has no perf, or forbids it."""

    def __init__(self, workspace: Workspace, process: int) -> None:
        self._program = shutil.which("perf")
        self._process = process
        self._written = workspace.folder("profiles") / "kernel.perf"
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        if self._program is None:
            tell("without the kernel's part of workers: perf is not installed")
            return
        self._written.unlink(missing_ok=True)
        command = [self._program, "record", "--quiet", "--event", "cpu-clock", "--freq", str(PER_SECOND), "-g"]
        command += ["--pid", str(self._process), "--output", str(self._written)]
        self._running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self) -> Stacks:
        if self._program is None or self._running is None:
            return {}
        try:
            _interrupt(self._running, "perf")
            return from_perf(output_of(self._program, "script", "--input", str(self._written), "--fields", "ip,sym"))
        except Unavailable as problem:
            tell(f"without the kernel's part of workers: {problem}")
            return {}


def environment(workspace: Workspace) -> dict[str, str]:
    """What a server needs to be started with, so that it can be looked at."""
    preload = PEER_SOURCES / "node_profile.mjs"
    return {
        "JDK_JAVA_OPTIONS": JAVA_OPTIONS,
        "NODE_OPTIONS": f'--import="{preload}"',
        "PROFILE_TO": str(written_by_node(workspace)),
    }


def written_by_node(workspace: Workspace) -> Path:
    return workspace.folder("profiles") / "node.cpuprofile"


def _library(workspace: Workspace) -> Path:
    jar = workspace.maven_jar("tools.profiler:async-profiler", ASYNC_PROFILER_VERSION)
    machine = "linux-arm64" if os.uname().machine == "aarch64" else "linux-x64"
    folder = workspace.folder(f"async-profiler-{ASYNC_PROFILER_VERSION}")
    library = folder / machine / "libasyncProfiler.so"
    if not library.exists():
        output_of(workspace.java("jar"), "--extract", "--file", jar, f"{machine}/libasyncProfiler.so", directory=folder)
    return library


def _interrupt(running: subprocess.Popen[bytes], name: str) -> None:
    """Ends a sampler, which then writes what it has."""
    running.send_signal(signal.SIGINT)
    try:
        running.wait(WRITTEN_SECONDS)
    except subprocess.TimeoutExpired as problem:
        running.kill()
        running.wait()
        raise Unavailable(f"{name} did not end") from problem
