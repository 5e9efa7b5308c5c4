"""Sees when a request holds up the thread that leads an engine."""

import threading
from collections import deque
from contextlib import suppress

from handoff_worker.protocol.exchange import Exchange

HELD_UP_SECONDS = 0.005
"""Between two looks. A request that the leader is still handling at the second look holds it up."""

LOOKS_BEFORE_SLEEP = 20
"""After so many looks that found nothing the watch sleeps, until the leader wakes it."""


class Watch:
    """
    Looks at what the leader is handling, every few milliseconds while there is something to look at.

    The watch has a thread of its own, which calls `await_held_up`; any thread may call the other methods.

    The leader pays one look at `asleep` per request. It puts its request in first and looks then, whereas the watch says that it
    sleeps first and looks at the requests then. So one of the two always sees the other.
    """

    def __init__(self, held: "deque[Exchange]") -> None:
        """`held` has in it the request that the leader is handling, and nothing else."""
        self._held = held
        self._awake = threading.Semaphore(0)
        self._bell = threading.Lock()
        """Released to have the watch look at once."""
        self._bell.acquire()
        self.asleep = False
        self._over = False

    def await_held_up(self) -> bool:
        """Waits until the leader is held up; returns False when all is over."""
        seen, idle_looks = None, 0
        while not self._over:
            rung = self._bell.acquire(timeout=HELD_UP_SECONDS)
            current = self._current()
            if current is not None and (rung or current is seen) and not self._over:
                return True
            idle_looks = idle_looks + 1 if current is None else 0
            seen = current
            if idle_looks == LOOKS_BEFORE_SLEEP:
                self._sleep()
                idle_looks = 0
        return False

    def wake(self) -> None:
        self.asleep = False
        self._awake.release()

    def look_at_once(self) -> None:
        """Does not wait for the next look, nor for a second one. A leader calls it that is about to wait for something."""
        with suppress(RuntimeError):  # it was rung just now
            self._bell.release()

    def end(self) -> None:
        """Lets `await_held_up` return False. Called once."""
        self._over = True
        self.look_at_once()
        self._awake.release()

    def _current(self) -> Exchange | None:
        try:
            return self._held[0]
        except IndexError:
            return None

    def _sleep(self) -> None:
        self.asleep = True
        if self._current() is None and not self._over:
            self._awake.acquire()
        self.asleep = False
