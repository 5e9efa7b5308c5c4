"""Who does what while a request holds up the leader: one thread watches, others wait to be called."""

import select
import socket
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from handoff_worker.log.logger import log
from handoff_worker.protocol.exchange import Exchange

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
        self._awake = threading.Semaphore(0)
        self._end = threading.Lock()
        self._end.acquire()
        self.asleep = False
        self._over = False

    def await_held_up(self) -> bool:
        """Waits until the leader is held up; False when all is over."""
        seen, idle_looks = None, 0
        while not self._over:
            self._end.acquire(timeout=HELD_UP_SECONDS)
            current = self._current()
            if current is not None and current is seen:
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

    def end(self) -> None:
        """Called once."""
        self._over = True
        self._end.release()
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


class StandIns:
    """
    The threads that wait to be called. None is started before it is needed.

    Whoever calls `call`, or counts himself in `free`, holds the engine's lock for it.
    """

    def __init__(self, most: int, run: Callable[[], None]) -> None:
        """`run` is what each of them does; it waits with `await_call`."""
        self._run = run
        self._not_started = most
        self._most = most
        self._called = threading.Semaphore(0)
        self.free = 0
        """How many wait, or are about to."""

    def call(self) -> bool:
        """Calls one; returns False if none is free."""
        if not self.free and not self._start():
            return False
        self.free -= 1
        self._called.release()
        return True

    def await_call(self) -> None:
        self._called.acquire()

    def end(self) -> None:
        """Calls all of them, and the thread that the engine began with: there is nothing to wait for."""
        self._called.release(self._most + 1)

    def _start(self) -> bool:
        if not self._not_started:
            return False
        try:
            threading.Thread(target=self._run, name="handoff-stand-in", daemon=True).start()
        except RuntimeError as problem:
            log.warning("there is no further thread for requests: %s", problem)
            self._not_started = 0
            return False
        self._not_started -= 1
        self.free += 1
        return True


class Bell:
    """Wakes the watch while it waits for the core to say something."""

    def __init__(self, core: socket.socket) -> None:
        self._core = core
        self._heard, self._rung = socket.socketpair()
        for end in (self._heard, self._rung):
            end.setblocking(False)
        self._both = select.poll()
        self._both.register(core, select.POLLIN)
        self._both.register(self._heard, select.POLLIN)

    def ring(self) -> None:
        """May be called by any thread, by a signal handler, and when all is over."""
        with suppress(OSError):  # one that cannot be written has many behind it that can be read
            self._rung.send(b"!")

    def await_core(self) -> bool:
        """Waits for either; returns whether there is something to read from the core."""
        ready = {file for file, _ in self._both.poll()}
        if self._heard.fileno() in ready:
            self._heard.recv(1024)
        return self._core.fileno() in ready

    def close(self) -> None:
        self._heard.close()
        self._rung.close()
