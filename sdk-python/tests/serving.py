"""A whole Handoff while a test asks it: `handoff run` or `serve`, as a user starts it, with real workers."""

import http.client
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

ROOT = Path(__file__).parents[2]
ADDRESS = re.compile(r"^→ http://127\.0\.0\.1:(\d+)/", re.MULTILINE)
PATIENCE = 60.0
POLL_SECONDS = 0.02
NO_WORKER = 4
"""The exit code of a server none of whose workers has become ready."""
PATIENT = ("NO_WORKER_GRACE", "QUEUE_TIMEOUT", "REQUEST_TIMEOUT")


@dataclass(frozen=True)
class Serving:
    port: int
    process: subprocess.Popen[bytes]
    output: Path

    @property
    def log(self) -> str:
        return self.output.read_text(errors="replace")

    def ask(
        self, method: str, target: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, bytes]:
        """Status and body of the response to one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, target, body, headers or {})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def await_response(self, target: str, body: bytes) -> None:
        """Asks until the response is this one."""
        deadline = monotonic() + PATIENCE
        while (response := self.ask("GET", target)[1]) != body:
            assert monotonic() < deadline, f"{target} still answers {response!r}"
            sleep(POLL_SECONDS)

    def workers(self) -> list[int]:
        """The processes that the core started, without the shell that clears up behind a killed core."""
        children = ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(self.process.pid)]
        lines = subprocess.run(children, check=True, capture_output=True, text=True).stdout.splitlines()
        return [int(line.split()[0]) for line in lines if not line.endswith(" handoff-groups")]

    def await_log(self, pattern: str) -> re.Match[str]:
        """Waits until the output has a match."""
        deadline = monotonic() + PATIENCE
        while (found := re.search(pattern, self.log, re.MULTILINE)) is None:
            assert self.process.poll() is None, f"ended with {self.process.returncode}:\n{self.log}"
            assert monotonic() < deadline, f"no {pattern!r} in:\n{self.log}"
            sleep(POLL_SECONDS)
        return found


@contextmanager
def serving(
    *arguments: str, folder: Path, workers: int = 1, environment: dict[str, str] | None = None
) -> Iterator[Serving]:
    """Runs `handoff run` with these arguments in a folder, by the interpreter of the tests; drains it at the end."""
    with _serving(["run", "--workers", str(workers), *arguments], folder, environment) as server:
        yield server


@contextmanager
def serving_config(folder: Path) -> Iterator[Serving]:
    """Serves the pools of the handoff.json in a folder, as `serving` does."""
    with _serving(["serve", "--config", "handoff.json"], folder, None) as server:
        yield server


@contextmanager
def _serving(arguments: list[str], folder: Path, environment: dict[str, str] | None) -> Iterator[Serving]:
    command = [str(ROOT / "handoff"), arguments[0], "--port", "0", "--admin-port", "0", *arguments[1:]]
    with TemporaryDirectory() as scratch:
        output = Path(scratch) / "output"
        with output.open("wb") as log:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=_environment() | (environment or {}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        server = Serving(0, process, output)
        try:
            port = int(server.await_log(ADDRESS.pattern)[1])
            yield Serving(port, process, output)
        finally:
            _stop(process)


def _environment() -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HANDOFF_")}
    # No response of the core's own for lack of time: that would come from the machine's speed.
    return environment | {"VIRTUAL_ENV": sys.prefix} | {f"HANDOFF_{wait}": "60s" for wait in PATIENT}


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(PATIENCE)
    finally:
        process.kill()
        process.wait()
