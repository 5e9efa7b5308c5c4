"""Starts servers for the tests, and ends them."""

from collections.abc import Callable, Iterator

import pytest
from handoff_server import Server


@pytest.fixture(scope="module")
def serve() -> Iterator[Callable[..., Server]]:
    """Starts a server with these arguments; it ends with the module's tests."""
    servers: list[Server] = []

    def start(*arguments: str) -> Server:
        servers.append(Server(*arguments))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()
