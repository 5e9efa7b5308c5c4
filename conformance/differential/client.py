"""Sends the bytes of a case on a connection of its own, and reads to the end."""

import socket
import time
from contextlib import suppress

EXCHANGE_SECONDS = 20


class NoEnd(Exception):
    """The server did not close in time, which is a fault of the server or of this check, never an outcome."""


def exchange(port: int, data: bytes, ends: bool = True) -> bytes:
    """`ends`: the client ends its output behind the bytes, so that the server awaits no more."""
    deadline = time.monotonic() + EXCHANGE_SECONDS
    answers = b""
    with socket.create_connection(("127.0.0.1", port), EXCHANGE_SECONDS) as connection:
        # A server that has refused may be gone before all is sent; its answers are read all the same.
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(data)
        if ends:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
        while True:
            connection.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                part = connection.recv(65536)
            except ConnectionResetError:
                return answers  # it closed with input unread; what it had answered before was still delivered
            except TimeoutError as late:
                raise NoEnd(f"no end within {EXCHANGE_SECONDS} s behind {answers!r}") from late
            if not part:
                return answers
            answers += part
