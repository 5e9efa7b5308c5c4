"""Tells the core how much memory this process holds, where the core cannot look itself: in another container."""

import os
import time
from collections.abc import Callable

SECONDS = 10.0
"""Between two reports, while there are requests."""


class MemoryReport:
    """Says when a report is due, and what is in it. Belongs to the thread that leads the engine."""

    def __init__(self, is_told: bool, clock: Callable[[], float] = time.monotonic) -> None:
        """`is_told`: whether the core wants reports. It reads the memory of processes that it started itself. `clock` returns seconds."""
        self._is_told = is_told
        self._due = 0.0 if is_told else float("inf")
        self._clock = clock

    def is_due(self, now: float) -> bool:
        """Whether it is time for a report. `now`: the time of the clock."""
        return now >= self._due

    def take(self) -> int:
        """The resident bytes; 0 where they are not told or the system does not say. The next report is due 10 s later."""
        if not self._is_told:
            return 0
        self._due = self._clock() + SECONDS
        try:
            with open("/proc/self/statm", "rb") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError, IndexError):
            return 0
