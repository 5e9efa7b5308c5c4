"""Waits for bytes of the core, and can be woken meanwhile."""

import select
import socket
from contextlib import suppress


class WakeablePoll:
    """Polls the socket of the core. One thread waits at a time; any thread may wake it."""

    def __init__(self, core: socket.socket) -> None:
        self._core = core
        self._woken, self._waker = socket.socketpair()
        for end in (self._woken, self._waker):
            end.setblocking(False)
        self._both = select.poll()
        self._both.register(core, select.POLLIN)
        self._both.register(self._woken, select.POLLIN)

    def wake(self) -> None:
        """Lets the waiting thread return. Any thread and any signal handler may call it, also when all is over."""
        with suppress(OSError):  # where a byte cannot be written, many can be read
            self._waker.send(b"!")

    def await_core(self) -> bool:
        """Waits for bytes or for `wake`; returns whether there are bytes to read from the core."""
        ready = {file for file, _ in self._both.poll()}
        if self._woken.fileno() in ready:
            self._woken.recv(1024)
        return self._core.fileno() in ready

    def close(self) -> None:
        self._woken.close()
        self._waker.close()
