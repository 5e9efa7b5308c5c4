"""What takes long is kept for the next run: Compose, what images are made from, and all that the engine stores."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from harness.commands import CommandFailed, say

WAIT_SECONDS = 3600
"""For another run, which may have everything to make."""
LOOK_SECONDS = 1.0


@contextmanager
def held(name: str = "handoff-docker") -> Iterator[Path]:
    """The folder of a cache, for one run at a time: another one waits for its end."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(home) / name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        if not is_taken(lock):
            say(f"waiting for another run to let go of {folder}")
            await_taken(lock, folder)
        yield folder


def is_taken(lock: TextIO) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def await_taken(lock: TextIO, folder: Path) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_taken(lock):
        if time.monotonic() > deadline:
            raise CommandFailed(f"another run has held {folder} for {WAIT_SECONDS} s")
        time.sleep(LOOK_SECONDS)
