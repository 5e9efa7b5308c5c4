import shutil
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread

import pytest
from harness.clients import run_fast_paced
from harness.workspace import BENCHMARKS, Workspace
from load.paced_client import HOST, REQUEST, Figures, PacedClient, answer_end, percentile

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n"
STALL_SECONDS = 0.3

Ask = Callable[[int, float], Figures]
Answers = Callable[[int, socket.socket], None]


@contextmanager
def server(answer: Answers) -> Iterator[int]:
    """Serves one connection; `answer` gets the number of each request."""

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            number = 0
            while connection.recv(len(REQUEST)):
                number += 1
                answer(number, connection)

    with socket.create_server((HOST, 0)) as listener:
        thread = Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(10)


def in_python(port: int, seconds: float) -> Figures:
    return PacedClient(port, rate=100, connections=1, seconds=seconds).run()


@pytest.fixture(scope="module", params=["python", "c"])
def ask(request: pytest.FixtureRequest) -> Ask:
    """100 requests a second over one connection, by either of the two clients."""
    if request.param == "python":
        return in_python
    if shutil.which("cc") is None:
        pytest.skip("there is no cc")
    program = Workspace().compile_c(BENCHMARKS / "load" / "paced_client.c")
    return lambda port, seconds: run_fast_paced(program, port, 100, 1, seconds)


def test_a_stall_counts_for_every_request_that_it_held_up(ask: Ask) -> None:
    def stalls_once(number: int, connection: socket.socket) -> None:
        if number == 1:
            time.sleep(STALL_SECONDS)
        connection.sendall(ANSWER)

    with server(stalls_once) as port:
        figures = ask(port, 0.4)
    assert (figures.answers, figures.errors) == (40, 0)
    # 30 of the 40 were meant to leave during the stall, one each 10 ms.
    assert figures.most >= STALL_SECONDS * 1e6 * 0.9
    assert figures.p50 >= STALL_SECONDS * 1e6 * 0.2


def test_counts_other_answers_as_errors(ask: Ask) -> None:
    with server(lambda _, connection: connection.sendall(ANSWER.replace(b"200 OK", b"503 No"))) as port:
        figures = ask(port, 0.05)
    assert figures.errors == figures.answers == 5


def test_answers_come_in_any_pieces(ask: Ask) -> None:
    def in_bytes(_: int, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for cut in range(len(ANSWER)):
            connection.sendall(ANSWER[cut : cut + 1])

    with server(in_bytes) as port:
        figures = ask(port, 0.1)
    assert (figures.answers, figures.errors) == (10, 0)


@pytest.mark.parametrize("cut", range(len(ANSWER)))
def test_an_answer_ends_with_its_last_byte(cut: int) -> None:
    assert answer_end(ANSWER[:cut]) == -1
    assert answer_end(ANSWER + ANSWER[:cut]) == len(ANSWER)


@pytest.mark.parametrize(("percent", "expected"), [(50, 50), (99, 99), (99.9, 100), (100, 100)])
def test_a_percentile_is_one_of_the_values(percent: float, expected: float) -> None:
    assert percentile(range(1, 101), percent) == expected
