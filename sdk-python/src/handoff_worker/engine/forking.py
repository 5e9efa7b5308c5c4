"""What a process that a handler forks inherits of its worker: nothing that could stop the worker, or outlive it."""

import os
import signal
import socket
import threading
import weakref

_STOPPING = (signal.SIGTERM, signal.SIGINT)
_connections: "weakref.WeakSet[socket.socket]" = weakref.WeakSet()
_before = threading.local()


def close_in_children(core: socket.socket) -> None:
    """A child that is forked must not hold the connection open when this process is gone, nor drain it when it is stopped."""
    _connections.add(core)


def _block() -> None:
    """
    Until the child is a process of its own, a signal to stop waits.

    At first it has the worker's handlers, and the socket by which they wake the event loop of the worker: `terminate()` right after
    `start()` would stop the worker.
    """
    _before.mask = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)


def _unblock() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, _before.mask)


def _part() -> None:
    """In the child."""
    if _connections:
        for core in list(_connections):
            core.close()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    _unblock()


os.register_at_fork(before=_block, after_in_parent=_unblock, after_in_child=_part)
