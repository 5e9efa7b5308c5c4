"""What this process holds, for the core to show where it cannot look: in another container, with another process started there."""

import os
import time
from collections.abc import Callable

SECONDS = 10.0
"""Between two tellings, while there are requests."""


class Memory:
    """Says when it is time to tell the core, and what."""

    def __init__(self, is_told: bool, clock: Callable[[], float] = time.monotonic) -> None:
        """It is not told of a process that the core has started: there it looks by itself."""
        self._is_told = is_told
        self._due = 0.0 if is_told else float("inf")
        self._clock = clock

    def is_due(self, now: float) -> bool:
        """`now` is the time of the clock."""
        return now >= self._due

    def take(self) -> int:
        """The resident bytes; 0 where they are not told, or the system does not say."""
        if not self._is_told:
            return 0
        self._due = self._clock() + SECONDS
        try:
            with open("/proc/self/statm", "rb") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError, IndexError):
            return 0
