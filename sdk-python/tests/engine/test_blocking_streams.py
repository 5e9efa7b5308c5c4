"""Responses in pieces of code that blocks, with the test as the core: WSGI applications and plain functions."""

import io
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from handoff_worker import Request, Response, events
from handoff_worker.engine import gathered_events, pacer
from handoff_worker.protocol.connection import End
from handoff_worker.protocol.response_stream import MOST_PIECE_BYTES
from handoff_worker.wsgi import call
from handoff_worker.wsgi.application import WsgiApplication
from played_core import PATIENCE, Frame, PlayedCore
from running import running

Start = Callable[..., Callable[[bytes], None]]

CREDIT = 64 * 1024
CONCURRENCY = 16
THREADS = pytest.mark.parametrize("threads", [1, 3])


def wsgi(body: Callable[[str], Iterable[bytes]], *headers: tuple[str, str]) -> WsgiApplication:
    """Calls `body` with the path."""

    def app(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
        start_response("200 OK", list(headers))
        return body(environ["PATH_INFO"])

    return WsgiApplication(app, "app", multithread=True)


def plain(body: Callable[[str], Iterable[bytes]], *headers: tuple[str, str]) -> Callable[[Request], Response]:
    return lambda request: Response(body(request.path), headers=headers)


KINDS = pytest.mark.parametrize("kind", [wsgi, plain])
Kind = Callable[..., Any]


def whole(frame: Frame) -> bool:
    return frame.type == "response" and "more" not in frame.head


@pytest.fixture
def patient_pacer(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, a handler that does not wait is quick."""
    monkeypatch.setattr("handoff_worker.engine.blocking_response.pacer.add", lambda paced: None)


@KINDS
@pytest.mark.usefixtures("patient_pacer")
def test_what_ends_soon_leaves_in_one_frame(kind: Kind) -> None:
    with running(kind(lambda path: iter([b"one ", b"", b"two"]))) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        response = run.core.expect("response")
        assert whole(response) and response.body == b"one two"


@pytest.mark.parametrize("kind_of_list", [list, tuple])
def test_a_list_leaves_in_one_frame_however_large_it_is(kind_of_list: type) -> None:
    with running(wsgi(lambda path: kind_of_list([b"x" * 100_000] * 5))) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        response = run.core.expect("response")
        assert whole(response) and len(response.body) == 500_000


@KINDS
@THREADS
def test_a_part_leaves_while_the_next_one_is_made(kind: Kind, threads: int) -> None:
    gates = [threading.Event(), threading.Event()]

    def body(path: str) -> Iterator[bytes]:
        yield b"one"
        assert gates[0].wait(PATIENCE)
        yield b"two"
        assert gates[1].wait(PATIENCE)
        yield b"three"

    with running(kind(body), CONCURRENCY, threads) as run:
        run.core.greet(stream_bytes=CREDIT)
        request = run.core.request()
        begin = run.core.expect("response")
        assert (begin.head["more"], begin.body) == (True, b"one")
        gates[0].set()
        assert run.core.expect("data").body == b"two"
        run.core.expect_pong()
        gates[1].set()
        came = b""
        while (frame := run.core.expect("data")).head.get("more"):
            came += frame.body
        assert came + frame.body == b"three" and frame.head["id"] == request
        run.core.expect_pong()
        assert run.engine.connection.in_flight == {}


@KINDS
@pytest.mark.usefixtures("patient_pacer")
def test_parts_that_come_quickly_leave_together(kind: Kind) -> None:
    with running(kind(lambda path: (b"x" * 100 for _ in range(10_000)))) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        pieces, final = run.core.receive_pieces(run.core.expect("response"))
        assert sum(map(len, pieces)) == 1_000_000 and final.type == "data"
        assert len(pieces) < 40 and max(map(len, pieces)) <= MOST_PIECE_BYTES


@KINDS
@THREADS
def test_the_handler_waits_for_credit_and_the_reader_reads_on(kind: Kind, threads: int) -> None:
    given: list[int] = []

    def body(path: str) -> Iterator[bytes]:
        for number in range(20):
            given.append(number)
            yield b"x" * MOST_PIECE_BYTES

    with running(kind(body), CONCURRENCY, threads) as run:
        run.core.greet(stream_bytes=CREDIT)
        request = run.core.request()
        begin = run.core.expect("response")
        assert len(begin.body) == MOST_PIECE_BYTES
        for came in range(1, 5):
            run.core.expect_pong()
            run.core.credit(request, 0)
            run.core.expect_pong()
            assert len(given) <= came + 1
            run.core.credit(request, MOST_PIECE_BYTES)
            assert len(run.core.expect("data").body) == MOST_PIECE_BYTES
        run.core.credit(request, 2**40)
        rest = 0
        while (frame := run.core.expect("data")).head.get("more"):
            rest += len(frame.body)
        assert rest == 15 * MOST_PIECE_BYTES


@KINDS
@THREADS
def test_a_cancel_ends_it_from_the_reader_and_the_iterable_is_closed(kind: Kind, threads: int) -> None:
    may_go_on, closed = threading.Event(), threading.Event()

    def body(path: str) -> Iterator[bytes]:
        try:
            yield b"begun"
            assert may_go_on.wait(PATIENCE)
            while True:
                yield b"more"
        finally:
            closed.set()

    with running(kind(body), CONCURRENCY, threads) as run:
        run.core.greet(stream_bytes=CREDIT)
        request = run.core.request()
        run.core.expect("response")
        run.core.cancel(request)
        assert run.core.expect("data").head == {"type": "data", "id": request}, "at once, while the handler is busy"
        assert not closed.is_set()
        may_go_on.set()
        assert closed.wait(PATIENCE)
        run.core.expect_pong()


@KINDS
def test_a_cancel_wakes_who_waits_for_credit(kind: Kind) -> None:
    closed = threading.Event()

    def body(path: str) -> Iterator[bytes]:
        try:
            while True:
                yield b"x" * MOST_PIECE_BYTES
        finally:
            closed.set()

    with running(kind(body), CONCURRENCY) as run:
        run.core.greet(stream_bytes=CREDIT)
        request = run.core.request()
        run.core.expect("response")
        run.core.cancel(request, "slow_client")
        assert run.core.expect("data").head == {"type": "data", "id": request}
        assert closed.wait(PATIENCE)


@KINDS
def test_a_failure_in_mid_stream_is_a_failure_and_logged(kind: Kind, caplog: pytest.LogCaptureFixture) -> None:
    gate = threading.Event()

    def body(path: str) -> Iterator[bytes]:
        yield b"begun"
        assert gate.wait(PATIENCE)
        raise LookupError("half way")

    with running(kind(body)) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        assert run.core.expect("response").body == b"begun"
        gate.set()
        assert run.core.expect("failure").head["message"] == "LookupError: half way"
    assert ["failed for GET /" in record.message for record in caplog.records] == [True]


@KINDS
@pytest.mark.parametrize(
    ("second", "rule"), [(b"", "Content-Length of 10 and gave 5"), (b"123456", "Content-Length of 10 and gave 11")]
)
def test_a_declared_length_that_does_not_come_true_is_a_failure(kind: Kind, second: bytes, rule: str) -> None:
    gate = threading.Event()

    def body(path: str) -> Iterator[bytes]:
        yield b"12345"
        assert gate.wait(PATIENCE)
        yield second

    with running(kind(body, ("content-length", "10"))) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        begin = run.core.expect("response")
        assert ["content-length", "10"] in begin.head["headers"]
        gate.set()
        assert rule in run.core.expect("failure").head["message"]


def test_a_head_that_cannot_be_sent_is_the_handlers_failure() -> None:
    def body(path: str) -> Iterator[bytes]:
        while True:
            yield b"x"
            time.sleep(0.001)

    with running(wsgi(body, ("a", "b\r\nc"))) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        assert "header a" in run.core.expect("failure").head["message"]


def test_all_that_is_declared_leaves_in_one_frame_whatever_the_iterable_does_then() -> None:
    """What frameworks give comes by an iterator, with its length."""
    gate = threading.Event()

    def body(path: str) -> Iterator[bytes]:
        yield b"hello"
        assert gate.wait(PATIENCE)

    with running(wsgi(body, ("Content-Length", "5")), CONCURRENCY, 2) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        run.core.expect_pong()
        gate.set()
        response = run.core.expect("response")
        assert whole(response) and response.body == b"hello"


def test_what_is_written_leaves_before_the_application_returns() -> None:
    gate = threading.Event()

    def app(environ: dict[str, Any], start_response: Start) -> list[bytes]:
        write = start_response("200 OK", [])
        write(b"one")
        assert gate.wait(PATIENCE)
        write(b"two")
        return [b"three"]

    with running(WsgiApplication(app, "app", multithread=False)) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        begin = run.core.expect("response")
        assert (begin.head["more"], begin.body) == (True, b"one")
        gate.set()
        came = b""
        while (frame := run.core.expect("data")).head.get("more"):
            came += frame.body
        assert came + frame.body == b"twothree"


def test_exc_info_is_raised_again_once_something_has_left() -> None:
    gate = threading.Event()

    def app(environ: dict[str, Any], start_response: Start) -> Iterator[bytes]:
        start_response("200 OK", [])
        yield b"begun"
        assert gate.wait(PATIENCE)
        try:
            raise KeyError("gone")
        except KeyError:
            start_response("500 Oops", [], sys.exc_info())
        yield b"never"

    with running(WsgiApplication(app, "app", multithread=False)) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        run.core.expect("response")
        gate.set()
        assert "KeyError" in run.core.expect("failure").head["message"]


@pytest.mark.parametrize("size", [call.MOST_WHOLE_FILE_BYTES, call.MOST_WHOLE_FILE_BYTES + 1])
def test_a_large_file_is_read_as_it_leaves(size: int) -> None:
    files: list[io.BytesIO] = []

    def app(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
        start_response("200 OK", [("Content-Length", str(size))])
        files.append(io.BytesIO(b"x" * size))
        wrapped: Iterable[bytes] = environ["wsgi.file_wrapper"](files[0])
        return wrapped

    with running(WsgiApplication(app, "app", multithread=False)) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        response = run.core.expect("response")
        assert whole(response) is (size == call.MOST_WHOLE_FILE_BYTES)
        pieces = [response.body] if whole(response) else run.core.receive_pieces(response)[0]
        assert b"".join(pieces) == b"x" * size
        run.core.expect_pong()
        assert files[0].closed


@pytest.mark.parametrize("handler", [wsgi(lambda path: [b"x" * 200_000]), lambda request: Response(b"x" * 200_000)])
def test_what_is_too_large_for_a_frame_leaves_in_pieces_of_a_known_length(handler: Any) -> None:
    with running(handler) as run:
        run.core.greet(body_limit=100_000, stream_bytes=CREDIT)
        run.core.request()
        begin = run.core.expect("response")
        assert ["content-length", "200000"] in begin.head["headers"]
        pieces, final = run.core.receive_pieces(begin)
        assert b"".join(pieces) == b"x" * 200_000 and final.type == "data"


@KINDS
def test_a_core_that_takes_no_pieces_gets_all_at_once_and_events_are_told_of(
    kind: Kind, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(gathered_events, "_told", False)
    handler = kind(lambda path: iter([b"data: x\n\n"] * 3), ("content-type", "text/event-stream"))
    with running(handler) as run, caplog.at_level(logging.WARNING):
        run.core.greet()
        for _ in range(2):
            run.core.request()
            response = run.core.expect("response")
            assert whole(response) and response.body == b"data: x\n\n" * 3
    assert sum("text/event-stream" in record.message for record in caplog.records) == 1


def test_a_plain_function_is_told_that_it_cannot_give_an_asynchronous_iterable() -> None:
    async def parts() -> Any:
        yield b"x"

    with running(lambda request: Response(parts())) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        assert "declare the handler with async def" in run.core.expect("failure").head["message"]


class Streams:
    """Begins a response at `/stream`, and ends it when the test says so; answers everything else at once."""

    def __init__(self) -> None:
        self.open = threading.Event()

    def __call__(self, path: str) -> Iterable[bytes]:
        return self._stream() if path == "/stream" else [path.encode()]

    def _stream(self) -> Iterator[bytes]:
        yield b"begun"
        while not self.open.wait(0.005):
            yield b"."


def begin(core: PlayedCore, count: int) -> list[int]:
    """Has so many responses begin, one after the other."""
    ids = []
    for _ in range(count):
        ids.append(core.request("/stream"))
        while (frame := core.receive()).type != "response":
            assert frame.type in ("capacity", "data"), frame.head
    return ids


def next_of(core: PlayedCore, *types: str) -> Frame:
    """The next frame that is no piece, of one of these types."""
    while (frame := core.receive()).type == "data" and frame.head.get("more"):
        pass
    assert frame.type in types, frame.head
    return frame


def test_other_threads_go_on_while_responses_are_under_way() -> None:
    streams = Streams()
    with running(wsgi(streams), CONCURRENCY, 3) as run:
        run.core.greet(stream_bytes=2**40)
        begin(run.core, 2)
        for _ in range(10):
            run.core.request("/other")
            assert next_of(run.core, "response").body == b"/other"
        streams.open.set()
        assert not next_of(run.core, "data").head.get("more")


@THREADS
def test_the_window_shrinks_to_the_streams_when_all_threads_have_one_and_opens_again(threads: int) -> None:
    streams = Streams()
    with running(wsgi(streams), CONCURRENCY, threads) as run:
        assert run.core.greet(stream_bytes=2**40) == CONCURRENCY
        ids = begin(run.core, threads - 1)
        ids.append(run.core.request("/stream"))
        assert next_of(run.core, "capacity", "response").type in ("capacity", "response")
        while (frame := run.core.receive()).type != "capacity" and frame.type != "data":
            pass
        behind = run.core.request("/behind")
        frame = next_of(run.core, "failure", "capacity")
        if frame.type == "capacity":
            assert frame.head["concurrency"] == threads
            frame = next_of(run.core, "failure")
        assert (frame.head["id"], frame.head["retry"]) == (behind, True)
        assert "--threads" in frame.head["message"]
        streams.open.set()
        ended = set()
        while len(ended) < threads:
            frame = next_of(run.core, "data", "capacity")
            if frame.type == "data":
                ended.add(frame.head["id"])
        assert ended == set(ids)
        run.core.request("/other")
        opened = []
        while (frame := next_of(run.core, "capacity", "response")).type == "capacity":
            opened.append(frame.head["concurrency"])
        assert frame.body == b"/other"
        run.core.send({"type": "ping"})
        while (frame := next_of(run.core, "capacity", "pong")).type == "capacity":
            opened.append(frame.head["concurrency"])
        assert run.engine._window == CONCURRENCY
        late = time.monotonic() + PATIENCE  # a thread sends its last piece before it forgets the request
        while run.engine.connection.in_flight or run.engine._streaming:
            assert time.monotonic() < late
            time.sleep(0.001)


def test_a_thread_that_does_not_return_after_its_cancel_keeps_the_next_request_waiting() -> None:
    """So the core notices, as of any handler that is stuck: the window is never closed."""
    gate = threading.Event()

    def body(path: str) -> Iterator[bytes]:
        yield b"begun"
        assert gate.wait(PATIENCE)

    with running(wsgi(body), CONCURRENCY) as run:
        run.core.greet(stream_bytes=CREDIT)
        request = run.core.request()
        run.core.expect("response")
        run.core.cancel(request)
        run.core.expect("data")
        behind = run.core.request()
        run.core.expect_pong()
        assert run.engine._window >= 1
        gate.set()
        frame = run.core.expect("response")
        assert frame.head["id"] == behind


def test_streams_go_on_after_the_drain_until_they_end() -> None:
    streams = Streams()
    with running(wsgi(streams), CONCURRENCY, 3) as run:
        run.core.greet(stream_bytes=2**40)
        (request,) = begin(run.core, 1)
        run.engine.leave()
        next_of(run.core, "drain")
        run.core.request("/behind")
        assert next_of(run.core, "failure").head["retry"] is True
        streams.open.set()
        assert next_of(run.core, "data").head["id"] == request
        run.core.close()
        assert run.await_end() is End.LEFT


@THREADS
def test_the_end_of_the_connection_ends_streams(threads: int) -> None:
    closed = threading.Semaphore(0)

    def body(path: str) -> Iterator[bytes]:
        try:
            while True:
                yield b"x" * 1000
        finally:
            closed.release()

    with running(wsgi(body), CONCURRENCY, threads) as run:
        run.core.greet(stream_bytes=CREDIT)
        for _ in range(threads):
            run.core.request()
        run.core.expect("response")
        run.core.close()
        assert run.await_end() is End.LOST
        assert closed.acquire(timeout=PATIENCE)


def test_events_of_a_plain_function() -> None:
    gate = threading.Event()

    def source() -> Iterator[str]:
        yield "one"
        assert gate.wait(PATIENCE)
        yield "two"

    with running(lambda request: events(source())) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        assert run.core.expect("response").body == b"data: one\n\n"
        gate.set()
        assert run.core.expect("data").body == b"data: two\n\n"


class Looked:
    def __init__(self) -> None:
        self.looks = 0
        self.twice = threading.Event()

    def look(self) -> None:
        self.looks += 1
        if self.looks == 2:
            self.twice.set()


def test_the_pacer_sleeps_and_is_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacer, "LOOK_SECONDS", 0.0001)
    monkeypatch.setattr(pacer, "LOOKS_BEFORE_SLEEP", 1)
    one = pacer.Pacer()
    for _ in range(20):
        looked = Looked()
        one.add(looked)
        assert looked.twice.wait(PATIENCE)
        one.remove(looked)
        deadline = time.monotonic() + PATIENCE
        while not one._asleep:
            assert time.monotonic() < deadline
            time.sleep(0.0001)
