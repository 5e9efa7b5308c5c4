"""What takes long is kept for the next run: Compose, what images are made from, and all that the engine stores."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.commands import say


@contextmanager
def held() -> Iterator[Path]:
    """The folder of the cache, for one run at a time: another one waits for its end."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(home) / "handoff-docker"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another run to let go of {folder}")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
