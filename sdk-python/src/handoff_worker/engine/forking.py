"""Keeps processes that a handler forks from stopping the worker, and from holding its connection when the worker is gone."""

import os
import signal
import socket
import threading
import weakref

_STOPPING = (signal.SIGTERM, signal.SIGINT)
_connections: "weakref.WeakSet[socket.socket]" = weakref.WeakSet()
_before = threading.local()


def close_in_children(core: socket.socket) -> None:
    """Closes the socket in every child that this process forks. A child must neither hold the connection open nor drain it."""
    _connections.add(core)


def _block() -> None:
    """
    Blocks the signals to stop until the child has handlers of its own.

    At first the child has the worker's handlers, and the socket by which they wake the event loop of the worker. So `terminate()`
    right after `start()` would stop the worker.
    """
    _before.mask = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)


def _unblock() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, _before.mask)


def _leave_worker() -> None:
    """Runs in the child: closes the connections and takes the default handlers."""
    if _connections:
        for core in list(_connections):
            core.close()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    _unblock()


os.register_at_fork(before=_block, after_in_parent=_unblock, after_in_child=_leave_worker)
