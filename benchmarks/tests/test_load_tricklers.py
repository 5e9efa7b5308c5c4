import socket
import time
from collections.abc import Iterator

import pytest
from load.tricklers import HOST, KINDS, Crowd, Kind, mixed

LIMIT_SECONDS = 10.0
PAUSE_SECONDS = 0.005
BY_NAME = {kind.name: kind for kind in KINDS}


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server((HOST, 0)) as listening:
        listening.settimeout(LIMIT_SECONDS)
        yield listening


def crowd_of(listener: socket.socket, *kinds: Kind) -> Crowd:
    return Crowd(listener.getsockname()[1], kinds, opens_per_second=1000, pause_seconds=PAUSE_SECONDS)


def accept(listener: socket.socket, crowd: Crowd) -> socket.socket:
    crowd.turn()
    connection, _ = listener.accept()
    connection.setblocking(False)
    return connection


def receive(connection: socket.socket, crowd: Crowd, length: int) -> bytes:
    received = b""
    deadline = time.monotonic() + LIMIT_SECONDS
    while len(received) < length and time.monotonic() < deadline:
        crowd.turn()
        try:
            received += connection.recv(length - len(received))
        except BlockingIOError:
            time.sleep(PAUSE_SECONDS)
    return received


def test_every_hundred_has_all_kinds() -> None:
    kinds = mixed(200)
    assert len(kinds) == 200
    assert all(kinds.count(kind) == 2 * kind.percent for kind in KINDS)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("head", b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: aaa"),
        ("body", b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\naaa"),
        ("chunk", b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\naaa"),
        ("chunk-size", b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1;a=aaa"),
    ],
)
def test_trickles_a_request_that_never_ends(listener: socket.socket, name: str, expected: bytes) -> None:
    crowd = crowd_of(listener, BY_NAME[name])
    with accept(listener, crowd) as connection:
        assert receive(connection, crowd, len(expected)) == expected


def test_reads_the_refusal_and_comes_again(listener: socket.socket) -> None:
    crowd = crowd_of(listener, BY_NAME["head"])
    with accept(listener, crowd) as connection:
        connection.send(b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
    with accept_next(listener, crowd) as again:
        assert receive(again, crowd, 1) == b"G"
    assert crowd.counts.answers == {"408": 1}
    assert (crowd.counts.opened, crowd.counts.ended) == (2, 1)


def test_a_slow_reader_leaves_most_of_the_answer_unread(listener: socket.socket) -> None:
    crowd = crowd_of(listener, BY_NAME["reader"])
    with accept(listener, crowd) as connection:
        assert receive(connection, crowd, 3) == b"GET"
        connection.send(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 1_000_000)
        deadline = time.monotonic() + LIMIT_SECONDS
        while not crowd.counts.answers and time.monotonic() < deadline:
            crowd.turn()
        with pytest.raises(BlockingIOError):
            for _ in range(1000):  # 64 MB, far more than the kernel keeps for the two of them
                connection.send(b"x" * 65_536)
    assert crowd.counts.answers == {"200": 1}


def accept_next(listener: socket.socket, crowd: Crowd) -> socket.socket:
    before = crowd.counts.opened
    deadline = time.monotonic() + LIMIT_SECONDS
    while crowd.counts.opened == before and time.monotonic() < deadline:
        crowd.turn()
    return accept(listener, crowd)
