"""Clients that hold something at a server, which is a few lines of the test."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Thread

import pytest
from harness.held_kinds import KINDS, SENT_BYTES, UPLOAD_BYTES, holders
from harness.load import LoadFailed

HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n"
REFUSED = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 6\r\n\r\nhello\n"
LIMIT_SECONDS = 10.0

Answer = Callable[[socket.socket], None]


@contextmanager
def server(answers: list[Answer]) -> Iterator[int]:
    """Gives one connection after the other to the next of these, and keeps them open."""
    accepted: list[socket.socket] = []

    def serve() -> None:
        for answer in answers:
            connection, _ = listener.accept()
            connection.settimeout(LIMIT_SECONDS)
            accepted.append(connection)
            answer(connection)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(LIMIT_SECONDS)
        for connection in accepted:
            connection.close()


def answering(*pieces: bytes) -> Answer:
    def answer(connection: socket.socket) -> None:
        connection.recv(1000)
        for piece in pieces:
            connection.sendall(piece)

    return answer


def test_holds_as_many_as_it_is_told_to() -> None:
    in_bytes = [HELLO[at : at + 1] for at in range(len(HELLO))]
    answers = [answering(HELLO), answering(*in_bytes), answering(HELLO)]
    with server(answers) as port, holders(KINDS["idle"], port) as clients:
        clients.open_until(1)
        clients.open_until(3)
        assert clients.count == 3


@pytest.mark.parametrize("pieces", [[REFUSED], [HELLO[:20]], []])
def test_what_is_not_served_fails(pieces: list[bytes]) -> None:
    def ends(connection: socket.socket) -> None:
        answering(*pieces)(connection)
        connection.shutdown(socket.SHUT_WR)

    with server([ends]) as port, holders(KINDS["idle"], port) as clients, pytest.raises(LoadFailed, match="number 1"):
        clients.open_until(1)


def test_a_stream_is_held_when_its_first_piece_has_come() -> None:
    head, piece = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"6\r\nbegun\n\r\n"
    with server([answering(head, piece)]) as port, holders(KINDS["stream"], port) as clients:
        clients.open_until(1)


def test_an_upload_stops_at_its_half() -> None:
    came = bytearray()

    def take(connection: socket.socket) -> None:
        while some := connection.recv(1 << 20):
            came.extend(some)

    with server([take]) as port, holders(KINDS["upload"], port) as clients:
        clients.open_until(1)
    head, _, body = bytes(came).partition(b"\r\n\r\n")
    assert b"Content-Length: %d" % UPLOAD_BYTES in head
    assert len(body) == SENT_BYTES == UPLOAD_BYTES // 2


def test_what_waits_for_nothing_is_held_at_once() -> None:
    kind = replace(KINDS["worker"], elsewhere=0)
    with server([answering(), answering()]) as port, holders(kind, port) as clients:
        clients.open_until(2)
        assert clients.count == 2
