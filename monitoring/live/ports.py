"""Ports for servers that cannot be asked which one they took."""

import random
import socket
from itertools import islice

FOR_SERVERS = range(20_000, 30_000)
"""Below those that systems give to clients, of which one could have the port before the server does."""


def free_ports(count: int) -> list[int]:
    """So many that nobody listens on, at no address of this machine."""
    shuffled = random.sample(FOR_SERVERS, len(FOR_SERVERS))
    return list(islice(filter(is_free, shuffled), count))


def is_free(port: int) -> bool:
    try:
        socket.create_server(("", port)).close()
    except OSError:
        return False
    return True
