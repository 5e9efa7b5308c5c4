"""A listener that understands nothing: the control of `slow_clients.py`.

It takes every connection, answers 408 after some seconds without having looked at what came, and closes. The tricklers
and the kernel have the same work with it as with a server. Prints its port, and ends when its input does.
"""

import select
import socket
import sys
import time
from collections import deque
from contextlib import suppress

from load import descriptors
from load.tricklers import HOST

CONNECTIONS = 15_000
HOLD_SECONDS = 10.0
TURN_SECONDS = 0.01
ANSWER = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def main() -> None:
    descriptors.allow(CONNECTIONS)
    held: deque[tuple[float, socket.socket]] = deque()
    with socket.create_server((HOST, 0), backlog=4096) as listener:
        listener.setblocking(False)
        print(listener.getsockname()[1], flush=True)
        while True:
            readable, _, _ = select.select([listener, sys.stdin], [], [], TURN_SECONDS)
            if sys.stdin in readable:
                return
            if listener in readable:
                _accept_all(listener, held)
            _let_go(held)
            time.sleep(TURN_SECONDS)


def _accept_all(listener: socket.socket, held: deque[tuple[float, socket.socket]]) -> None:
    with suppress(BlockingIOError):
        while len(held) < CONNECTIONS:
            connection, _ = listener.accept()
            connection.setblocking(False)
            held.append((time.monotonic() + HOLD_SECONDS, connection))


def _let_go(held: deque[tuple[float, socket.socket]]) -> None:
    now = time.monotonic()
    while held and held[0][0] <= now:
        _, connection = held.popleft()
        with connection, suppress(OSError):
            connection.send(ANSWER)
            connection.shutdown(socket.SHUT_WR)
            connection.recv(65536)  # what is unread when it closes would make it a reset


if __name__ == "__main__":
    main()
