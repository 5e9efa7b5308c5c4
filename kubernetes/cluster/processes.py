"""Commands that set something up, and processes that stay, each with a log of its own."""

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from cluster.settings import Place

LOOK_SECONDS = 0.1


def say(what: str) -> None:
    """For whoever waits."""
    print(f"kubernetes: {what}", flush=True)


def done(command: str) -> None:
    """A line of words, without a shell."""
    subprocess.run(command.split(), check=True, stdin=subprocess.DEVNULL)


def repeat_until_done(command: Sequence[str | Path]) -> None:
    """For what another process has to be ready for; the tests stop waiting for it at some time, and end all."""
    while subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True).returncode != 0:
        time.sleep(LOOK_SECONDS)


def await_api(place: Place) -> None:
    """Who asks the API server earlier may give up."""
    repeat_until_done([place.programs / "kubectl", "--kubeconfig", place.kubeconfig, "get", "--raw", "/readyz"])


class Processes:
    def __init__(self, logs: Path) -> None:
        self._logs = logs
        self._names: dict[int, str] = {}

    def start(self, name: str, command: Sequence[str | Path]) -> int:
        with (self._logs / f"{name}.log").open("wb") as log:
            running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._names[running.pid] = name
        return running.pid

    def await_end(self) -> str:
        """Of any of them; orphans, such as what containers leave behind, are collected meanwhile."""
        while True:
            pid, status = os.wait()
            if pid in self._names:
                return f"{self._names[pid]} ended with {os.waitstatus_to_exitcode(status)}"
