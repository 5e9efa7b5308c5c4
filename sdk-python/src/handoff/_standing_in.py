"""How stand-ins wait: one watches the leader, the others wait until it is their turn to watch."""

import threading
import time
from collections import deque

from handoff._exchange import Exchange

HELD_UP_SECONDS = 0.005
"""A request that the leader is still handling when it is looked at for the second time, so much later, holds it up."""

LOOKS_BEFORE_SLEEP = 20
"""So often the watch finds nothing before it sleeps, until the leader wakes it."""


class Watch:
    """
    Looks at what the leader is handling, every few milliseconds while there is something to look at.

    The leader pays for it with one look at `asleep` per request: it puts its request in first and looks then, whereas the watch
    says that it sleeps first and looks at the requests then, so one of the two always sees the other.
    """

    def __init__(self, held: "deque[Exchange]") -> None:
        self._held = held
        self._turn = threading.Lock()
        self._awake = threading.Semaphore(0)
        self._counting = threading.Lock()
        self.asleep = False
        self.waiting_threads = 0
        self._over = False

    def await_stuck(self) -> Exchange | None:
        """Waits until the leader is held up, takes its request out and with it the lead; None when all is over."""
        self._count(1)
        with self._turn:
            self._count(-1)
            while self._look_until_stuck():
                try:
                    # Perhaps another request by now; it has a stand-in then without need, and no harm done.
                    return self._held.pop()
                except IndexError:
                    continue
            return None

    def await_held_up(self) -> bool:
        """Waits until the leader is held up, and leaves it the lead; False when all is over."""
        return self._look_until_stuck()

    def wake(self) -> None:
        self.asleep = False
        self._awake.release()

    def end(self) -> None:
        self._over = True
        self._awake.release()

    def _look_until_stuck(self) -> bool:
        seen, idle_looks = None, 0
        while not self._over:
            time.sleep(HELD_UP_SECONDS)
            current = self._current()
            if current is not None and current is seen:
                return True
            idle_looks = idle_looks + 1 if current is None else 0
            seen = current
            if idle_looks == LOOKS_BEFORE_SLEEP:
                self._sleep()
                idle_looks = 0
        return False

    def _count(self, change: int) -> None:
        with self._counting:
            self.waiting_threads += change

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
