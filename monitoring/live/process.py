"""A server as a process that writes a log, for as long as a test needs it."""

import re
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

LIMIT_SECONDS = 60.0
"""For anything that is waited for; the first start may have to build."""

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

    def await_line(self, pattern: str) -> str:
        """The first group of the first line of the log that the pattern is found in."""

        def look() -> str | None:
            found = re.search(pattern, self._log.read_text())
            assert found or self._running.poll() is None, f"it ended:\n{self._log.read_text()}"
            return found and found.group(1)

        return until(look, pattern)


@contextmanager
def run(command: Sequence[str], log: Path) -> Iterator[Process]:
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as running:
        try:
            yield Process(running, log)
        finally:
            running.terminate()
            try:
                running.wait(LIMIT_SECONDS)
            finally:
                running.kill()
