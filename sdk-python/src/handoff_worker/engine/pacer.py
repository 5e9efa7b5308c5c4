"""Looks after responses in parts whose handler blocks: what it gave a while ago leaves while it makes the next part."""

import threading
import time
from typing import Protocol

LOOK_SECONDS = 0.005
"""Between two looks."""

LOOKS_BEFORE_SLEEP = 20
"""After so many looks that found nothing the pacer sleeps, until it is given something to look after."""


class Paced(Protocol):
    """Something that is looked at."""

    def look(self) -> None:
        """Called by the pacer's thread every few milliseconds, until it has been removed, and perhaps once more."""


class Pacer:
    """
    One thread, which is started when it is first needed, for all responses of this process. Any thread may call its methods.

    Handing something over costs a look at `_asleep`. It is put in first, whereas the pacer says that it sleeps first and looks
    then. So one of the two always sees the other.
    """

    def __init__(self) -> None:
        self._paced: set[Paced] = set()
        self._awake = threading.Semaphore(0)
        self._asleep = False
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def add(self, paced: Paced) -> None:
        """Begins to look at something. Raises `RuntimeError` where the system gives no thread."""
        self._paced.add(paced)
        if self._asleep:
            self._asleep = False
            self._awake.release()
        if self._thread is None:
            self._start()

    def remove(self, paced: Paced) -> None:
        """Looks at it no more. It does not matter whether it did."""
        self._paced.discard(paced)

    def _look(self) -> None:
        for paced in list(self._paced):
            paced.look()

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="handoff-pacer", daemon=True)
                thread.start()
                self._thread = thread

    def _run(self) -> None:
        idle_looks = 0
        while True:
            time.sleep(LOOK_SECONDS)
            idle_looks = 0 if self._paced else idle_looks + 1
            self._look()
            if idle_looks == LOOKS_BEFORE_SLEEP:
                self._asleep = True
                if not self._paced:
                    self._awake.acquire()
                self._asleep = False
                idle_looks = 0


pacer = Pacer()
"""The pacer of this process."""
