"""What a server counts of itself, as its admin server tells it."""

import http.client
import json
import time
from collections.abc import Mapping
from functools import cache
from typing import Any

from harness.load import LoadFailed
from harness.server import Server, free_port

PATIENCE_SECONDS = 20.0
PAUSE_SECONDS = 0.02


@cache
def admin_port(port: int) -> int:
    """Of the server that serves at this port."""
    return free_port()


def await_counts(server: Server, wanted: Mapping[str, int]) -> None:
    """Waits until it counts this, since a connection that has ended is gone a moment later; fails where it never does."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while differences := differing(_ask(server, "GET", "/stats"), wanted):
        if time.monotonic() > deadline:
            raise LoadFailed(f"{server.peer.key}: {', '.join(differences)}")
        time.sleep(PAUSE_SECONDS)


def count(server: Server, path: str) -> int:
    return at(_ask(server, "GET", "/stats"), path)


def begin_anew(server: Server) -> None:
    """Begins a new window of what is counted, such as the most connections at once."""
    _ask(server, "POST", "/stats/reset")


def differing(statistics: object, wanted: Mapping[str, int]) -> list[str]:
    found = {path: at(statistics, path) for path in wanted}
    return [f"{path} is {found[path]:,}, not {wanted[path]:,}" for path in wanted if found[path] != wanted[path]]


def at(statistics: Any, path: str) -> int:
    """The number at such a path as `pools.0.queue.depth`."""
    found = statistics
    for step in path.split("."):
        found = found[int(step)] if isinstance(found, list) else found[step]
    return int(found)


def _ask(server: Server, method: str, target: str) -> object:
    connection = http.client.HTTPConnection("127.0.0.1", admin_port(server.port), timeout=PATIENCE_SECONDS)
    try:
        connection.request(method, target)
        response = connection.getresponse()
        body = response.read()
    finally:
        connection.close()
    if response.status != 200:
        raise LoadFailed(f"{method} {target} of {server.peer.key}'s admin server got {response.status}: {body[:200]!r}")
    return json.loads(body)
