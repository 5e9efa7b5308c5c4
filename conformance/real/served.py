"""Servers of somebody else's applications: Handoff, and what the application is usually served by."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
APPLICATIONS = HERE / "applications"
MODULES = HERE / "node_modules"
START_SECONDS = 120
END_SECONDS = 20


@dataclass(frozen=True)
class Served:
    url: str
    process: int

    def processes(self) -> list[int]:
        """The server and those that it has started: for Handoff, the core and its workers."""
        started = Path(f"/proc/{self.process}/task").glob("*/children")
        return [self.process, *(int(child) for children in started for child in children.read_text().split())]


@contextmanager
def handoff(*handler: str, cwd: Path = APPLICATIONS, environment: Mapping[str, str] = {}) -> Iterator[str]:
    """The URL at which Handoff serves what `handoff run` is given."""
    with handoff_process(*handler, cwd=cwd, environment=environment) as served:
        yield served.url


@contextmanager
def handoff_process(*handler: str, cwd: Path = APPLICATIONS, environment: Mapping[str, str] = {}) -> Iterator[Served]:
    command = [str(ROOT / "handoff"), "run", "--port", "0", "--admin-port", "0", "--no-worker-grace", "2m", *handler]
    with _running(command, cwd, environment) as (process, log):
        begun = time.monotonic()
        while not (found := re.search(r"→ (http://127\.0\.0\.1:\d+)/", log.read_text())):
            _go_on(process, log, begun)
        yield Served(found[1], process.pid)


@contextmanager
def own_server(
    *command: str, port: int, cwd: Path = APPLICATIONS, environment: Mapping[str, str] = {}
) -> Iterator[str]:
    """The same of a server that is told its port."""
    with own_process(*command, port=port, cwd=cwd, environment=environment) as served:
        yield served.url


@contextmanager
def own_process(
    *command: str, port: int, cwd: Path = APPLICATIONS, environment: Mapping[str, str] = {}
) -> Iterator[Served]:
    with _running(command, cwd, environment) as (process, log):
        begun = time.monotonic()
        while not _is_open(port):
            _go_on(process, log, begun)
        yield Served(f"http://127.0.0.1:{port}", process.pid)


@contextmanager
def gunicorn(application: str, environment: Mapping[str, str] = {}) -> Iterator[str]:
    with gunicorn_process(application, environment) as served:
        yield served.url


@contextmanager
def gunicorn_process(application: str, environment: Mapping[str, str] = {}) -> Iterator[Served]:
    port = free_port()
    words = ("-m", "gunicorn", "--threads", "8", "--bind", f"127.0.0.1:{port}", application)
    with own_process(sys.executable, *words, port=port, environment=environment) as served:
        yield served


@contextmanager
def uvicorn(application: str, environment: Mapping[str, str] = {}) -> Iterator[str]:
    port = free_port()
    words = ("-m", "uvicorn", "--port", str(port), application)
    with own_server(sys.executable, *words, port=port, environment=environment) as url:
        yield url


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@contextmanager
def _running(
    command: Sequence[str], cwd: Path, environment: Mapping[str, str]
) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    folder = ROOT / "target" / "real" / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{time.time_ns()}.log"
    variables = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **environment}
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=cwd, env=variables, stdout=output, stderr=output, start_new_session=True
        )
    try:
        yield process, log
    finally:
        process.terminate()
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _go_on(process: subprocess.Popen[bytes], log: Path, begun: float) -> None:
    if process.poll() is not None or time.monotonic() - begun > START_SECONDS:
        raise AssertionError(f"{process.args!r} does not serve: {log.read_text()}")
    time.sleep(0.05)


def _is_open(port: int) -> bool:
    with socket.socket() as attempt:
        return attempt.connect_ex(("127.0.0.1", port)) == 0
