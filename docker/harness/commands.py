"""Programs that are run to their end, within a limit; when one fails, what it said is told."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

LAST_LINES = 40


class CommandFailed(Exception):
    """It ended with another code than 0, or not in time."""


def say(what: str) -> None:
    """For whoever waits: a first run takes minutes."""
    print(f"docker: {what}", flush=True)


def run(
    command: Sequence[str | Path],
    *,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    limit_seconds: float = 600,
) -> str:
    """What it wrote to its standard output."""
    shown = " ".join(str(each) for each in command)
    try:
        ended = subprocess.run(
            command,
            check=False,
            env={**os.environ, **(environment or {})},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit_seconds,
        )
    except subprocess.TimeoutExpired as late:
        raise CommandFailed(f"not done within {limit_seconds:.0f} s: {shown}") from late
    if ended.returncode != 0:
        said = "\n".join((ended.stdout + ended.stderr).splitlines()[-LAST_LINES:])
        raise CommandFailed(f"code {ended.returncode}: {shown}\n{said}")
    return ended.stdout


def succeeds(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> bool:
    try:
        run(command, environment=environment, limit_seconds=60)
    except (CommandFailed, OSError):
        return False
    return True
