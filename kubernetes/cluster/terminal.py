"""Commands as an operator types them."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.commands import CommandFailed
from live.client import ask
from live.process import until

LIMIT_SECONDS = 360


@dataclass(frozen=True)
class Terminal:
    folder: Path
    environment: dict[str, str]

    def run(self, command: str) -> str:
        """What it says, on either stream."""
        ended = subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env=self.environment,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_SECONDS,
        )
        if ended.returncode != 0:
            raise CommandFailed(f"{command}: {ended.stdout}")
        return ended.stdout

    @contextmanager
    def running(self, command: str, port: int) -> Iterator[None]:
        """While it forwards the port."""
        log = self.folder / "forwarding.log"
        with log.open("wb") as out:
            forwards = subprocess.Popen(
                ["sh", "-c", f"exec {command}"],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )

        def answers() -> bool | None:
            assert forwards.poll() is None, log.read_text()
            try:
                return ask(port, "HEAD", "/").status > 0 or None
            except OSError:
                return None

        try:
            until(answers, f"{command} forwards")
            yield
        finally:
            os.kill(forwards.pid, signal.SIGTERM)
            forwards.wait(LIMIT_SECONDS)
