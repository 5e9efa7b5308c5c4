"""What a server of the tests goes through: of everything that is counted at least one, and each count known."""

import http.client
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread

from live.handoff import Handoff
from live.process import until

SERVED = 40
POSTED = 3
FAILED = 2
INVALID = 1
CRASHES = 1
REJECTED = 2
GARBAGE = 4

OPTIONS = ("--queue-requests", "1", "--loops", "2")


def go_through_everything(server: Handoff) -> None:
    assert [server.get("/").status for _ in range(SERVED)] == [200] * SERVED
    assert [server.post("/").status for _ in range(POSTED)] == [200] * POSTED
    assert [server.get("/fails").status for _ in range(FAILED)] == [500] * FAILED
    assert [server.get("/invalid").status for _ in range(INVALID)] == [502] * INVALID
    assert [server.get("/crashes").status for _ in range(CRASHES)] == [502] * CRASHES
    server.await_ready()
    fill_the_queue(server)
    for _ in range(GARBAGE):
        send_garbage(server)


def fill_the_queue(server: Handoff) -> None:
    """One request is with the worker, one waits, and there is no place for the others."""
    with ThreadPoolExecutor() as clients:
        answers = [clients.submit(server.get, "/until/released") for _ in range(2 + REJECTED)]
        until(lambda: sum(each.done() for each in answers) == REJECTED or None, "requests are refused")
        server.release("released")
        assert sorted(each.result().status for each in answers) == [200, 200] + [503] * REJECTED


def send_garbage(server: Handoff) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost : x\r\n\r\n")
        assert client.makefile("rb").readline().startswith(b"HTTP/1.1 400 ")


@dataclass
class Load:
    """Requests one after the other, and how many have been answered."""

    answered: int = 0

    def await_more(self) -> None:
        known = self.answered
        until(lambda: self.answered > known or None, "another answer")


@contextmanager
def constant(server: Handoff) -> Iterator[Load]:
    load = Load()
    enough = Event()

    def ask_on() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        while not enough.is_set():
            connection.request("GET", "/")
            assert connection.getresponse().read() == b""
            load.answered += 1
        connection.close()

    client = Thread(target=ask_on)
    client.start()
    try:
        yield load
    finally:
        enough.set()
        client.join()
