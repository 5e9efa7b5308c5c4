"""Threads that take over when a request holds up the leader of an engine."""

import threading
from collections.abc import Callable

from handoff_worker.log.logger import log


class SpareThreads:
    """
    The threads that wait to be called. None is started before it is needed.

    The caller of `call`, and a thread that counts itself in `free`, holds the lock of the engine meanwhile.
    """

    def __init__(self, most: int, run: Callable[[], None]) -> None:
        """Starts at most `most` threads. Each of them calls `run`, which waits with `await_call`."""
        self._run = run
        self._not_started = most
        self._most = most
        self._called = threading.Semaphore(0)
        self.free = 0
        """How many threads wait, or are about to."""

    def has_one(self) -> bool:
        """Whether `call` would find one; starts it where it has to."""
        return self.free > 0 or self._start()

    def call(self) -> bool:
        """Calls one of the threads; returns False if none is free."""
        if not self.has_one():
            return False
        self.free -= 1
        self._called.release()
        return True

    def await_call(self) -> None:
        self._called.acquire()

    def end(self) -> None:
        """Calls all of the threads, and the one that the engine began with: there is nothing to wait for."""
        self._called.release(self._most + 1)

    def _start(self) -> bool:
        if not self._not_started:
            return False
        try:
            threading.Thread(target=self._run, name="handoff-spare", daemon=True).start()
        except RuntimeError as problem:
            log.warning("cannot start another thread for requests: %s", problem)
            self._not_started = 0
            return False
        self._not_started -= 1
        self.free += 1
        return True
