"""A server as a process that writes a log, for as long as a test needs it."""

import os
import re
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

LIMIT_SECONDS = 300.0
"""For anything that is waited for; the first start may have to build, on a machine that is busy."""

LOOK_SECONDS = 0.05

Value = TypeVar("Value")


def until(look: Callable[[], Value | None], what: str) -> Value:
    """Asks until there is an answer."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while (found := look()) is None:
        assert time.monotonic() < deadline, f"{what} within {LIMIT_SECONDS:.0f} s"
        time.sleep(LOOK_SECONDS)
    return found


class Process:
    def __init__(self, running: subprocess.Popen[bytes], log: Path) -> None:
        self._running = running
        self._log = log

    @property
    def pid(self) -> int:
        return self._running.pid

    def await_line(self, pattern: str) -> str:
        """The first group of the first line of the log that the pattern is found in."""

        def look() -> str | None:
            found = re.search(pattern, self._log.read_text())
            if not found:
                self.assert_running()
            return found and found.group(1)

        return until(look, pattern)

    def assert_running(self) -> None:
        assert self._running.poll() is None, f"it ended:\n{self._log.read_text()}"

    def signal(self, number: int) -> None:
        self._running.send_signal(number)

    def await_end(self) -> int:
        return self._running.wait(LIMIT_SECONDS)


@contextmanager
def run(
    command: Sequence[str],
    log: Path,
    listening: socket.socket | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Process]:
    """A socket that the process is to serve on becomes its standard input."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HANDOFF_")}
    with (
        log.open("wb") as output,
        subprocess.Popen(
            command,
            stdin=listening.fileno() if listening else subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=inherited | dict(environment or {}),
        ) as running,
    ):
        try:
            yield Process(running, log)
        finally:
            running.terminate()
            try:
                running.wait(LIMIT_SECONDS)
            finally:
                running.kill()
