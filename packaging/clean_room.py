"""For the tests: runs a distribution as on a machine that has no Java, no settings and no rights."""

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 60
NOBODY = 65534
# What the start script and Handoff call; nothing else is on the PATH, least of all a Java.
PROGRAMS = ("readlink", "node", "setpriv", "setsid")
URL = re.compile(r"http://\S+:(\d+)/")


@dataclass(frozen=True)
class CleanRoom:
    programs: Path
    home: Path

    @staticmethod
    def make(folder: Path) -> "CleanRoom":
        room = CleanRoom(folder / "bin", folder / "home")
        room.programs.mkdir(parents=True)
        room.home.mkdir()
        # The system's Python, since nobody may run one below somebody's home.
        system = shutil.which("python3", path="/usr/bin:/usr/local/bin:/opt/homebrew/bin")
        (room.programs / "python3").symlink_to(system or os.path.realpath(sys.executable))
        for program in PROGRAMS:
            found = shutil.which(program)
            if found:
                (room.programs / program).symlink_to(os.path.realpath(found))
        return room

    def run(self, *command: str | Path, java_options: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            check=False,
            env=self._environment(java_options),
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            user=_nobody(),
            group=_nobody(),
            extra_groups=_no_groups(),
        )

    @contextmanager
    def serving(self, start_script: Path, *arguments: str | Path, java_options: str | None = None) -> Iterator[int]:
        """Has `handoff run ARGUMENTS` serve, and gives the port; what is still there at the end is killed."""
        ports = ("--port", "0", "--admin-port", "0", "--workers", "1")
        server = subprocess.Popen(
            [start_script, "run", *arguments, *ports],
            env=self._environment(java_options),
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            user=_nobody(),
            group=_nobody(),
            extra_groups=_no_groups(),
        )
        stuck = threading.Timer(PATIENCE, server.kill)
        stuck.start()
        try:
            yield _port_of(server)
        finally:
            server.terminate()
            _, said = server.communicate()
            stuck.cancel()
        assert server.returncode == 0, said

    def _environment(self, java_options: str | None) -> dict[str, str]:
        environment = {"PATH": str(self.programs), "HOME": str(self.home)}
        return environment if java_options is None else environment | {"HANDOFF_JAVA_OPTS": java_options}


def _port_of(server: subprocess.Popen[str]) -> int:
    assert server.stdout and server.stderr
    for line in server.stdout:
        found = URL.search(line)
        if found:
            return int(found[1])
    raise AssertionError(f"it does not serve:\n{server.stderr.read()}")


def _nobody() -> int | None:
    """For root every folder is one to write to."""
    return NOBODY if os.geteuid() == 0 else None


def _no_groups() -> list[int] | None:
    return [] if os.geteuid() == 0 else None
