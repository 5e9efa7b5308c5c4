"""Responses in pieces of asynchronous code, with the test as the core: ASGI applications and coroutine functions."""

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest
from handoff_worker import Request, Response, events
from handoff_worker.asgi.application import AsgiApplication
from handoff_worker.engine import async_response, cancel_grace, gathered_events
from handoff_worker.protocol.connection import End
from handoff_worker.protocol.response_stream import MOST_PIECE_BYTES
from played_core import PATIENCE
from running_async import running

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Deed = Callable[[Receive, Send], Awaitable[None]]

CREDIT = 64 * 1024


def asgi(deed: Deed) -> AsgiApplication:
    async def app(scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await deed(receive, send)

    return AsgiApplication(app, "app")


async def start(send: Send, *headers: tuple[bytes, bytes], status: int = 200) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})


async def part(send: Send, body: bytes, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": more})


class Gate:
    """Lets a coroutine go on when the test says so, from its own thread."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.reached = threading.Event()

    async def wait(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.reached.set()
        await self._event.wait()

    def open(self) -> None:
        assert self.reached.wait(PATIENCE)
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._event.set)


def test_what_is_complete_within_the_turn_leaves_in_one_frame() -> None:
    async def deed(receive: Receive, send: Send) -> None:
        await start(send)
        for _ in range(60):
            await part(send, b"x" * 1000)
        await part(send, b"end", more=False)

    with running(asgi(deed)) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        response = run.core.expect("response")
        assert "more" not in response.head
        assert response.body == b"x" * 60_000 + b"end"


def test_a_part_leaves_in_the_turn_of_the_loop_in_which_it_was_sent() -> None:
    gates = [Gate(), Gate()]

    async def deed(receive: Receive, send: Send) -> None:
        await start(send, (b"content-type", b"text/event-stream"))
        await part(send, b"data: 1\n\n")
        await gates[0].wait()
        await part(send, b"data: 2\n\n")
        await part(send, b"data: 3\n\n")
        await gates[1].wait()
        await part(send, b"", more=False)

    with running(asgi(deed)) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        begin = run.core.expect("response")
        assert (begin.head["more"], begin.body) == (True, b"data: 1\n\n")
        assert begin.head["headers"] == [["content-type", "text/event-stream"]]
        gates[0].open()
        piece = run.core.expect("data")
        assert (piece.head["more"], piece.body) == (True, b"data: 2\n\ndata: 3\n\n"), (
            "the parts of a turn leave together"
        )
        gates[1].open()
        assert run.core.expect("data").head == {"type": "data", "id": 1}
        run.core.expect_pong()


def test_the_head_leaves_before_there_is_any_content() -> None:
    gate = Gate()

    async def deed(receive: Receive, send: Send) -> None:
        await start(send)
        await part(send, b"")
        await gate.wait()
        await part(send, b"late", more=False)

    with running(asgi(deed)) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        begin = run.core.expect("response")
        assert (begin.head["more"], begin.body) == (True, b"")
        gate.open()
        final = run.core.expect("data")
        assert ("more" in final.head, final.body) == (False, b"late")


@pytest.mark.parametrize(("headers", "waits"), [([(b"content-length", b"5")], True), ([], False)])
def test_a_declared_length_may_become_whole_a_little_later(
    headers: list[tuple[bytes, bytes]], waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Middleware gives the body and its end apart."""
    monkeypatch.setattr(async_response, "DECLARED_SECONDS", PATIENCE)
    gate = Gate()

    async def deed(receive: Receive, send: Send) -> None:
        await start(send, *headers)
        await part(send, b"hello")
        await gate.wait()
        await part(send, b"", more=False)

    with running(asgi(deed)) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        if not waits:
            assert run.core.expect("response").head["more"] is True
        gate.open()
        final = run.core.expect("response" if waits else "data")
        assert ("more" in final.head, final.body) == (False, b"hello" if waits else b"")


def test_a_declared_length_is_waited_for_a_moment_only() -> None:
    gate = Gate()

    async def deed(receive: Receive, send: Send) -> None:
        await start(send, (b"content-length", b"10"))
        await part(send, b"hello")
        await gate.wait()
        await part(send, b"world", more=False)

    with running(asgi(deed)) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        begin = run.core.expect("response")
        assert (begin.head["more"], begin.head["headers"]) == (True, [["content-length", "10"]])
        gate.open()
        assert run.core.expect("data").body == b"world"


def test_send_waits_for_credit_and_the_reader_reads_on() -> None:
    sent: list[int] = []

    async def deed(receive: Receive, send: Send) -> None:
        await start(send)
        for number in range(10):
            await part(send, b"x" * MOST_PIECE_BYTES)
            sent.append(number)
            await asyncio.sleep(0)
        await part(send, b"", more=False)

    with running(asgi(deed)) as run:
        run.core.greet(stream_bytes=2 * CREDIT - 1)
        request = run.core.request()
        begin = run.core.expect("response")
        assert len(begin.body) == MOST_PIECE_BYTES
        assert len(run.core.expect("data").body) == MOST_PIECE_BYTES
        run.core.expect_pong()
        came = 2
        for _ in range(3):
            run.core.credit(request, 2)
            assert len(run.core.expect("data").body) == MOST_PIECE_BYTES
            came += 1
            run.core.expect_pong()
            assert sent == list(range(came)), "send has waited until its part had left"
            run.core.credit(request, MOST_PIECE_BYTES - 2)
            run.core.expect_pong()
            run.core.credit(request, 0)
            run.core.expect_pong()
        run.core.credit(request, 2**40)
        rest = 0
        while (frame := run.core.expect("data")).head.get("more"):
            rest += len(frame.body)
        assert came * MOST_PIECE_BYTES + rest + len(frame.body) == 10 * MOST_PIECE_BYTES


def test_small_parts_wait_for_credit_too() -> None:
    sent: list[int] = []

    async def deed(receive: Receive, send: Send) -> None:
        await start(send)
        for number in range(1000):
            await part(send, b"12345")
            sent.append(number)
            await asyncio.sleep(0)

    with running(asgi(deed)) as run:
        run.core.greet(stream_bytes=10)
        request = run.core.request()
        came = run.core.expect("response").body
        while len(came) < 10:
            came += run.core.expect("data").body
        run.core.expect_pong()
        run.core.expect_pong()
        assert len(sent) < 10
        run.core.credit(request, 5)
        assert len(run.core.expect("data").body) >= 5
        run.core.cancel(request)
        run.core.expect("data")


def test_a_cancel_ends_it_from_the_reader_and_send_raises() -> None:
    raised: list[BaseException] = []
    received: list[Any] = []
    over = threading.Event()

    async def deed(receive: Receive, send: Send) -> None:
        await receive()
        await start(send)
        gone = asyncio.ensure_future(receive())
        try:
            while True:
                await part(send, b"x" * 1000)
                await asyncio.sleep(0)
        except BaseException as error:
            raised.append(error)
            raise
        finally:
            received.append(await gone)
            over.set()

    with running(asgi(deed)) as run:
        run.core.greet(stream_bytes=CREDIT)
        request = run.core.request()
        run.core.expect("response")
        run.core.cancel(request)
        while (frame := run.core.expect("data")).head.get("more"):
            pass
        assert frame.head == {"type": "data", "id": request}
        assert over.wait(PATIENCE)
        assert isinstance(raised[0], OSError) and received == [{"type": "http.disconnect"}]
        run.core.expect_pong()
        assert run.engine is not None and run.engine.connection.in_flight == {}


def test_a_cancel_wakes_who_waits_for_credit() -> None:
    over = threading.Event()

    async def deed(receive: Receive, send: Send) -> None:
        await start(send)
        try:
            await part(send, b"x" * 10_000_000)
        except OSError:
            over.set()
            raise

    with running(asgi(deed)) as run:
        run.core.greet(stream_bytes=CREDIT)
        request = run.core.request()
        run.core.expect("response")
        run.core.cancel(request, "drain")
        assert run.core.expect("data").head == {"type": "data", "id": request}
        assert over.wait(PATIENCE)


def test_an_idle_application_is_cancelled_after_the_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cancel_grace, "CANCEL_GRACE_SECONDS", 0.0)
    over = threading.Event()

    async def deed(receive: Receive, send: Send) -> None:
        await start(send)
        await part(send, b"begun")
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            over.set()

    with running(asgi(deed)) as run:
        run.core.greet(stream_bytes=CREDIT)
        request = run.core.request()
        run.core.expect("response")
        run.core.cancel(request)
        run.core.expect("data")
        assert over.wait(PATIENCE)
        run.core.expect_pong()


def test_a_failure_in_mid_stream_is_a_failure_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    async def deed(receive: Receive, send: Send) -> None:
        await start(send)
        await part(send, b"begun")
        await asyncio.sleep(0.001)
        raise LookupError("half way")

    with running(asgi(deed)) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        assert run.core.expect("response").body == b"begun"
        assert run.core.expect("failure").head["message"] == "LookupError: half way"
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [LookupError]


@pytest.mark.parametrize(
    ("bodies", "rule"),
    [
        ([b"12345"], "Content-Length of 10 and gave 5 bytes"),
        ([b"12345", b"123456"], "Content-Length of 10 and gave 11 bytes"),
    ],
)
def test_a_declared_length_that_does_not_come_true_is_a_failure(bodies: list[bytes], rule: str) -> None:
    async def deed(receive: Receive, send: Send) -> None:
        await start(send, (b"content-length", b"10"))
        for body in bodies:
            await part(send, body)
            await asyncio.sleep(0.05)
        await part(send, b"", more=False)

    with running(asgi(deed)) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        assert run.core.expect("response").body == b"12345"
        assert rule in run.core.expect("failure").head["message"]


@pytest.mark.parametrize(
    ("headers", "rule"),
    [([(b"a", b"b\r\nc")], "header a"), ([(b"content-length", b"five")], "Content-Length of five")],
)
def test_a_head_that_cannot_be_sent_fails_before_anything_leaves(headers: list[tuple[bytes, bytes]], rule: str) -> None:
    async def deed(receive: Receive, send: Send) -> None:
        await start(send, *headers)
        await part(send, b"begun")

    with running(asgi(deed)) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        assert rule in run.core.expect("failure").head["message"]


async def whole(receive: Receive, send: Send) -> None:
    await start(send)
    await part(send, b"x" * 200_000, more=False)


async def large(request: Request) -> Response:
    return Response(b"x" * 200_000)


@pytest.mark.parametrize("handler", [asgi(whole), large], ids=["asgi", "coroutine"])
def test_what_is_too_large_for_a_frame_leaves_in_pieces_of_a_known_length(handler: Any) -> None:
    with running(handler) as run:
        run.core.greet(body_limit=100_000, stream_bytes=CREDIT)
        run.core.request()
        begin = run.core.expect("response")
        assert ["content-length", "200000"] in begin.head["headers"]
        pieces, final = run.core.receive_pieces(begin)
        assert b"".join(pieces) == b"x" * 200_000 and final.type == "data"
        assert max(map(len, pieces)) <= MOST_PIECE_BYTES


@pytest.mark.parametrize("handler", [asgi(whole), large], ids=["asgi", "coroutine"])
def test_it_fails_for_a_core_that_takes_no_pieces(handler: Any) -> None:
    with running(handler) as run:
        run.core.greet(body_limit=100_000)
        run.core.request()
        assert "200000 bytes" in run.core.expect("failure").head["message"]


def test_a_core_that_takes_no_pieces_gets_all_at_once_and_events_are_told_of(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(gathered_events, "_told", False)

    async def deed(receive: Receive, send: Send) -> None:
        await start(send, (b"content-type", b"text/event-stream"))
        for _ in range(3):
            await part(send, b"data: x\n\n")
            await asyncio.sleep(0.001)
        await part(send, b"", more=False)

    with running(asgi(deed)) as run, caplog.at_level(logging.WARNING):
        run.core.greet()
        for _ in range(2):
            run.core.request()
            response = run.core.expect("response")
            assert (response.body, "more" in response.head) == (b"data: x\n\n" * 3, False)
    assert sum("text/event-stream" in record.message for record in caplog.records) == 1


def test_streams_go_on_after_the_drain_until_they_end() -> None:
    gate = Gate()

    async def deed(receive: Receive, send: Send) -> None:
        await start(send)
        await part(send, b"before")
        await gate.wait()
        await part(send, b"after", more=False)

    with running(asgi(deed)) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        run.core.expect("response")
        run.leave()
        run.core.expect("drain")
        gate.open()
        assert run.core.expect("data").body == b"after"
        run.core.close()
        assert run.await_end() is End.LEFT


def test_the_end_of_the_connection_ends_streams() -> None:
    over = threading.Event()

    async def deed(receive: Receive, send: Send) -> None:
        await start(send)
        try:
            while True:
                await part(send, b"x")
                await asyncio.sleep(0.001)
        finally:
            over.set()

    with running(asgi(deed)) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        run.core.expect("response")
        run.core.close()
        assert over.wait(PATIENCE)


def test_thousands_of_streams_at_once() -> None:
    count = 2000
    ready = threading.Event()
    queues: list[asyncio.Future[None]] = []

    async def deed(receive: Receive, send: Send) -> None:
        gate = asyncio.get_running_loop().create_future()
        queues.append(gate)
        await start(send)
        await part(send, b"begun")
        if len(queues) == count:
            ready.set()
        await gate
        await part(send, b"end", more=False)

    with running(asgi(deed), concurrency=count) as run:
        run.core.greet(stream_bytes=CREDIT)
        for _ in range(20):
            run.core.requests(*["/"] * 100)
        ids = {run.core.expect("response").head["id"] for _ in range(count)}
        assert len(ids) == count and ready.wait(PATIENCE)
        queues[0].get_loop().call_soon_threadsafe(lambda: [gate.set_result(None) for gate in queues])
        assert {run.core.expect("data").head["id"] for _ in range(count)} == ids
        run.core.expect_pong()
        assert run.engine is not None and run.engine.connection.in_flight == {}


def test_the_head_of_one_response_does_not_wait_behind_the_pieces_of_others() -> None:
    streams, most_bytes = 100, 1024 * 1024
    settled, answered = threading.Event(), threading.Event()

    async def app(scope: Any, receive: Receive, send: Send) -> None:
        if scope["path"] == "/settles":
            for _ in range(20):
                await asyncio.sleep(0)
            settled.set()
        await start(send)
        while scope["path"] == "/endless":
            await part(send, bytes(MOST_PIECE_BYTES))
        await part(send, b"", more=False)
        if scope["path"] == "/late":
            answered.set()

    with running(AsgiApplication(app, "app"), concurrency=streams + 10) as run:
        run.core.greet(stream_bytes=CREDIT)
        ids = run.core.requests(*["/endless"] * streams)
        assert {run.core.expect("response").head["id"] for _ in ids} == set(ids)
        for id in ids:
            run.core.send({"type": "credit", "id": id, "bytes": most_bytes})
        run.core.request("/settles")
        assert settled.wait(PATIENCE)  # now the streams have given all that they may, and nothing is read
        late = run.core.request("/late")
        assert answered.wait(PATIENCE)
        before = 0
        while (frame := run.core.receive()).head["id"] != late:
            before += len(frame.body)
        assert frame.type == "response"
        assert before < most_bytes, "much less than the streams have credit for"

        for _ in range(4 * streams):
            run.core.expect("data")  # some had credit before others
        pieces = dict.fromkeys(ids, 0)
        for _ in range(5 * streams):
            pieces[run.core.expect("data").head["id"]] += 1
        assert max(pieces.values()) - min(pieces.values()) <= 2, "each has its turn"


def test_a_coroutine_gives_an_asynchronous_iterable_which_is_closed_when_its_client_leaves() -> None:
    gate = Gate()
    closed = threading.Event()

    async def clock() -> AsyncIterator[str]:
        try:
            yield "one"
            await gate.wait()
            yield "two"
            await asyncio.get_running_loop().create_future()
        finally:
            closed.set()

    async def handler(request: Request) -> Response:
        return events(clock())

    with running(handler) as run:
        run.core.greet(stream_bytes=CREDIT)
        request = run.core.request()
        begin = run.core.expect("response")
        assert begin.body == b"data: one\n\n"
        assert begin.head["headers"] == [["content-type", "text/event-stream"], ["cache-control", "no-store"]]
        gate.open()
        assert run.core.expect("data").body == b"data: two\n\n"
        run.core.cancel(request)
        assert run.core.expect("data").head == {"type": "data", "id": request}
        assert closed.wait(PATIENCE)


@pytest.mark.parametrize("stream_bytes", [0, CREDIT])
def test_a_coroutine_gives_any_iterable(stream_bytes: int) -> None:
    closed: list[str] = []

    def parts() -> Iterator[bytes | str]:
        try:
            yield b"one "
            yield "zwei"
        finally:
            closed.append("closed")

    async def handler(request: Request) -> Response:
        return Response(parts(), headers={"content-type": "text/plain"})

    with running(handler) as run:
        run.core.greet(stream_bytes=stream_bytes)
        run.core.request()
        response = run.core.expect("response")
        assert (response.body, "more" in response.head) == (b"one zwei", False)
        assert closed == ["closed"]


def test_a_coroutine_that_fails_in_mid_stream_is_a_failure() -> None:
    async def parts() -> AsyncIterator[object]:
        yield b"begun"
        await asyncio.sleep(0.001)
        yield 3

    async def handler(request: Request) -> Response:
        return Response(parts())  # type: ignore[arg-type]

    with running(handler) as run:
        run.core.greet(stream_bytes=CREDIT)
        run.core.request()
        assert run.core.expect("response").body == b"begun"
        assert "a part of the body is int" in run.core.expect("failure").head["message"]


def test_an_endless_iterable_leaves_others_their_turn() -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b"x" * 1000

    async def handler(request: Request) -> Response:
        return Response(endless() if request.path == "/endless" else "hello")

    with running(handler) as run:
        run.core.greet(stream_bytes=CREDIT)
        request = run.core.request("/endless")
        begin = run.core.expect("response")
        came = len(begin.body)
        while came < CREDIT:
            came += len(run.core.expect("data").body)
        run.core.request("/")
        assert run.core.expect("response").body == b"hello"
        run.core.cancel(request)
        assert run.core.expect("data").head == {"type": "data", "id": request}


def test_events_arrive_within_milliseconds() -> None:
    async def clock() -> AsyncIterator[str]:
        while True:
            yield str(time.monotonic())
            await asyncio.sleep(0.01)

    async def handler(request: Request) -> Response:
        return events(clock())

    with running(handler) as run:
        run.core.greet(stream_bytes=CREDIT)
        request = run.core.request()
        run.core.expect("response")
        delays = []
        for _ in range(50):
            frame = run.core.expect("data")
            delays.append(time.monotonic() - float(frame.body.split()[1]))
        assert sorted(delays)[25] < 0.01
        run.core.cancel(request)
