import socket
import time
from collections.abc import Iterator

import pytest
from load.listeners import HOST, Listeners

LIMIT_SECONDS = 10.0
HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server((HOST, 0)) as listening:
        listening.settimeout(LIMIT_SECONDS)
        yield listening


def event() -> bytes:
    text = f"data: {time.monotonic():.6f}\n\n".encode()
    return b"%x\r\n%s\r\n" % (len(text), text)


def test_counts_events_however_they_are_cut(listener: socket.socket) -> None:
    listeners = Listeners(listener.getsockname()[1], "/events", 2, slow=False)
    listeners.connect()
    clients = [listener.accept()[0] for _ in range(2)]
    assert clients[0].recv(1000).startswith(b"GET /events HTTP/1.1\r\n")
    clients[0].sendall(HEAD + event() + event())
    text = HEAD + event()
    for begin in range(len(text)):
        clients[1].sendall(text[begin : begin + 1])
        listeners.turn(0.01)
    await_events(listeners, 3)
    assert listeners.heard == 2
    assert all(0 <= delay < LIMIT_SECONDS for delay in listeners.delays)
    figures = listeners.figures(1, 0)
    assert (figures.open, figures.events, figures.ended) == (2, 3, 0)
    assert 0 < figures.first_p50 <= figures.first_p99 < LIMIT_SECONDS * 1e6
    clients[0].close()
    deadline = time.monotonic() + LIMIT_SECONDS
    while listeners.ended == 0 and time.monotonic() < deadline:
        listeners.turn(0.01)
    assert (listeners.ended, listeners.figures(1, 0).open) == (1, 1)
    clients[1].close()


def await_events(listeners: Listeners, events: int) -> None:
    deadline = time.monotonic() + LIMIT_SECONDS
    while len(listeners.delays) < events and time.monotonic() < deadline:
        listeners.turn(0.01)
    assert len(listeners.delays) == events
