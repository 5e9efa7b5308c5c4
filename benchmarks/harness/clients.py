"""The clients of `slow_clients.py`, each a process of its own; see `load/`."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from load.paced_client import LAST_ANSWERS_SECONDS, Figures
from load.tricklers import Counts

from harness.load import LoadFailed
from harness.workspace import BENCHMARKS

PATIENCE_SECONDS = 30.0
"""Beyond what a client's own limits allow."""


def run_paced(port: int, rate: int, connections: int, seconds: float) -> Figures:
    return _paced(_command("paced_client", port=port, rate=rate, connections=connections, seconds=seconds), seconds)


def run_fast_paced(program: Path, port: int, rate: float, connections: int, seconds: float) -> Figures:
    """The same in C, for more than the few thousand requests per second that Python can make."""
    return _paced([str(program), str(port), str(rate), str(connections), str(seconds)], seconds)


def _paced(command: Sequence[str], seconds: float) -> Figures:
    patience = seconds + LAST_ANSWERS_SECONDS + PATIENCE_SECONDS
    try:
        finished = subprocess.run(
            command, check=False, capture_output=True, text=True, cwd=BENCHMARKS, timeout=patience
        )
    except subprocess.TimeoutExpired as problem:
        raise LoadFailed(f"the normal client did not end: {problem}") from problem
    if finished.returncode != 0:
        raise LoadFailed(f"the normal client failed: {finished.stderr.strip()}")
    return Figures(**json.loads(finished.stdout))


class Tricklers:
    """A running process of tricklers, and what it last said of itself."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self._lines: list[str] = []
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def counts(self) -> Counts:
        return _read_counts(self._lines[-1]) if self._lines else Counts()

    def since(self, first: Counts) -> list[Counts]:
        """`first` and all later reports."""
        return [counts for counts in map(_read_counts, self._lines) if counts.at >= first.at]

    def await_open(self, connections: int, seconds: float) -> Counts:
        """Waits until so many are open; a server that never lets so many in gets what it lets in."""
        deadline = time.monotonic() + seconds
        while self.counts().open < connections and time.monotonic() < deadline:
            self._check()
            time.sleep(0.05)
        return self.counts()

    def next_counts(self) -> Counts:
        """The next report, which is at most a second away."""
        known = len(self._lines)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while len(self._lines) == known and time.monotonic() < deadline:
            self._check()
            time.sleep(0.01)
        return self.counts()

    def _check(self) -> None:
        if self.process.poll() is not None:
            raise LoadFailed(f"the slow clients ended with {self.process.returncode}")

    def _read(self) -> None:
        assert self.process.stdout is not None
        self._lines.extend(self.process.stdout)


def _read_counts(line: str) -> Counts:
    return Counts(**json.loads(line))


@contextmanager
def tricklers(port: int, connections: int, opens_per_second: int, pause: float, seconds: float) -> Iterator[Tricklers]:
    limits = {"connections": connections, "opens-per-second": opens_per_second, "pause": pause, "seconds": seconds}
    with process("tricklers", port=port, **limits) as running:
        yield Tricklers(running)


@contextmanager
def sink() -> Iterator[int]:
    """The port of a listener that understands nothing."""
    with process("sink") as running:
        assert running.stdout is not None
        yield int(running.stdout.readline())


@contextmanager
def process(module: str, *words: str, **options: float | str) -> Iterator["subprocess.Popen[str]"]:
    """A process of `load/` that ends when its input does."""
    process = subprocess.Popen(
        [*_command(module, **options), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=BENCHMARKS,
        start_new_session=True,  # Ctrl-C reaches the harness alone
    )
    try:
        yield process
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _command(module: str, **options: float | str) -> list[str]:
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    return [sys.executable, "-m", f"load.{module}", *words]
