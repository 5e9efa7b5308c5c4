"""Whole worker processes, with the test as their core on a socket of its own."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from played_core import PATIENCE, PlayedCore

WORKERS = Path(__file__).parent / "workers"
BOTH = pytest.mark.parametrize("program", ["blocking.py", "coroutine.py"])


class Listener:
    """Where workers find the played core."""

    def __init__(self, folder: Path) -> None:
        # By its name in the folder: a path of pytest's own may be longer than a socket's may be.
        self.path = folder / "core.sock"
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(self.path))
        self._socket.listen()
        self._socket.settimeout(PATIENCE)
        self._open: list[PlayedCore] = []
        self._processes: list[subprocess.Popen[str]] = []

    def start(self, file: str, token: str | None = "secret", **environment: str) -> "subprocess.Popen[str]":
        return self.start_command(str(WORKERS / file), token=token, **environment)

    def start_command(
        self, *arguments: str, token: str | None = "secret", **environment: str
    ) -> "subprocess.Popen[str]":
        """Starts Python with these arguments."""
        variables = {name: value for name, value in os.environ.items() if not name.startswith("HANDOFF_")}
        variables |= {"HANDOFF_SOCKET": str(self.path), **environment}
        if token is not None:
            variables["HANDOFF_TOKEN"] = token
        command = [sys.executable, *arguments]
        process = subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._processes.append(process)
        return process

    def accept(self) -> PlayedCore:
        core = PlayedCore(self._socket.accept()[0])
        self._open.append(core)
        return core

    def close(self) -> None:
        for core in self._open:
            core.close()
        for process in self._processes:
            process.kill()
            process.communicate()
        self._socket.close()
