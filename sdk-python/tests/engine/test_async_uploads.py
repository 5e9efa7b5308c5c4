"""Requests in pieces for asynchronous code, with the test as the core: ASGI applications and coroutine functions."""

import asyncio
import functools
import hashlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from handoff_worker import Request, Response, streams_body
from handoff_worker.asgi.application import AsgiApplication
from handoff_worker.engine import asyncio_engine
from handoff_worker.protocol.connection import End
from handoff_worker.protocol.request_body import CREDIT_BYTES
from played_core import PATIENCE
from running_async import Run, running

Read = Callable[[], Awaitable[bytes]]
Deed = Callable[[Read], Awaitable[bytes]]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

PIECE_BYTES = 64 * 1024
LARGE = bytes(range(256)) * 4096 * 3


async def respond(send: Send, body: bytes) -> None:
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": body})


class Gone(Exception):
    """The application has got `http.disconnect`."""


def asgi(deed: Deed) -> AsgiApplication:
    """Calls `deed` with what gives the next piece, and answers what it returns."""

    async def app(scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if scope["method"] != "POST":
            await respond(send, b"small")
            return
        more = True

        async def read() -> bytes:
            nonlocal more
            while more:
                event = await receive()
                if event["type"] == "http.disconnect":
                    raise Gone
                more = event["more_body"]
                if event["body"]:
                    return bytes(event["body"])
            return b""

        await respond(send, await deed(read))

    return AsgiApplication(app, "app")


def coroutine(deed: Deed) -> Callable[[Request], Awaitable[Response]]:
    @streams_body
    async def handler(request: Request) -> Response:
        if request.method != "POST":
            return Response("small")
        pieces = aiter(request.stream())

        async def read() -> bytes:
            return await anext(pieces, b"")

        return Response(await deed(read))

    return handler


KINDS = pytest.mark.parametrize("kind", [asgi, coroutine])
Kind = Callable[[Deed], Any]


async def digest(read: Read) -> bytes:
    found = hashlib.sha256()
    while piece := await read():
        found.update(piece)
    return found.hexdigest().encode()


def digest_of(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()


def incoming(run: Run) -> dict[int, Any]:
    assert run.engine is not None
    return run.engine.connection._incoming


@KINDS
@pytest.mark.parametrize("piece_bytes", [PIECE_BYTES, 100_000, 999])
def test_a_large_body_arrives_whole(kind: Kind, piece_bytes: int) -> None:
    with running(kind(digest)) as run:
        run.core.greet()
        for _ in range(2):
            assert run.core.upload(LARGE, piece_bytes=piece_bytes).body == digest_of(LARGE)
        run.core.expect_pong()
        assert incoming(run) == {}


@KINDS
def test_pieces_of_one_byte_make_the_same_body(kind: Kind) -> None:
    with running(kind(digest)) as run:
        run.core.greet()
        assert run.core.upload(LARGE[:3000], piece_bytes=1).body == digest_of(LARGE[:3000])


@KINDS
def test_the_handler_begins_with_the_head(kind: Kind) -> None:
    begun = threading.Event()

    async def deed(read: Read) -> bytes:
        begun.set()
        return await digest(read)

    with running(kind(deed)) as run:
        run.core.greet()
        upload = run.core.begin_upload()
        assert begun.wait(PATIENCE)
        assert run.core.send_rest(upload, b"body").body == digest_of(b"body")


@KINDS
def test_the_response_may_come_before_the_body(kind: Kind) -> None:
    """What still comes is dropped, and nothing is granted for it."""

    async def deed(read: Read) -> bytes:
        return (await read())[:1]

    with running(kind(deed)) as run:
        run.core.greet()
        upload = run.core.begin_upload(first=b"x" * PIECE_BYTES)
        assert run.core.expect("response").body == b"x"
        for _ in range(3):
            run.core.send_piece(upload, b"y" * PIECE_BYTES)
            run.core.expect_pong()
        run.core.send_piece(upload, b"", more=False)
        run.core.request()
        assert run.core.expect("response").body == b"small"
        assert incoming(run) == {}


@KINDS
def test_a_handler_that_does_not_read_holds_no_more_than_its_credit(kind: Kind) -> None:
    gate = threading.Event()

    async def deed(read: Read) -> bytes:
        while not gate.is_set():
            await asyncio.sleep(0.001)
        return await digest(read)

    with running(kind(deed)) as run:
        run.core.greet()
        upload = run.core.begin_upload()
        while upload.credit > 0:
            run.core.send_piece(upload, LARGE[upload.sent : upload.sent + 60_000])
        run.core.expect_pong()  # and no credit before it
        held = sum(map(len, incoming(run)[upload.id].pieces._pieces))
        assert held == upload.sent < CREDIT_BYTES + PIECE_BYTES
        gate.set()
        assert run.core.send_rest(upload, LARGE[upload.sent :]).body == digest_of(LARGE)


@KINDS
@pytest.mark.parametrize("reason", ["client_gone", "deadline", "drain"])
def test_a_cancel_ends_who_waits_for_a_piece(kind: Kind, reason: str, caplog: pytest.LogCaptureFixture) -> None:
    waits = threading.Event()

    async def deed(read: Read) -> bytes:
        waits.set()
        return await digest(read)

    with running(kind(deed)) as run:
        run.core.greet()
        upload = run.core.begin_upload()
        assert waits.wait(PATIENCE)
        run.core.cancel(upload.id, reason)
        failure = run.core.expect("failure")
        assert failure.head["id"] == upload.id and reason in failure.head["message"]
        run.core.expect_pong()
        assert run.core.upload(b"again").body == digest_of(b"again")
    assert caplog.records == [], "a client that leaves is no fault"


@KINDS
def test_the_end_of_the_connection_ends_who_waits_for_a_piece(kind: Kind) -> None:
    waits, woken = threading.Event(), threading.Event()

    async def deed(read: Read) -> bytes:
        waits.set()
        try:
            return await digest(read)
        finally:
            woken.set()

    with running(kind(deed)) as run:
        run.core.greet()
        run.core.begin_upload()
        assert waits.wait(PATIENCE)
        run.core.close()
        assert woken.wait(PATIENCE)
        assert run.await_end() is End.LOST


@KINDS
def test_two_uploads_and_small_requests_share_a_worker(kind: Kind) -> None:
    with running(kind(digest)) as run:
        run.core.greet()
        uploads = {}
        for _ in range(2):
            upload = run.core.begin_upload()
            uploads[upload.id] = upload
        for number in range(40):
            for upload in uploads.values():
                while upload.credit <= 0:
                    frame = run.core.expect("credit")
                    uploads[frame.head["id"]].credit += frame.head["bytes"]
                run.core.send_piece(upload, bytes([number]) * 30_000)
            if number % 10 == 5:
                request = run.core.request()
                while (frame := run.core.receive()).type == "credit":
                    uploads[frame.head["id"]].credit += frame.head["bytes"]
                assert (frame.head["id"], frame.body) == (request, b"small")
        expected = digest_of(b"".join(bytes([number]) * 30_000 for number in range(40)))
        for upload in uploads.values():
            run.core.send_piece(upload, b"", more=False)
            while (frame := run.core.receive()).type == "credit":
                pass
            assert (frame.head["id"], frame.body) == (upload.id, expected)


@KINDS
def test_an_upload_that_is_kept_gets_its_pieces(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not more than a few requests begin in a turn."""
    monkeypatch.setattr(asyncio_engine, "MOST_BEGUN", 0)
    with running(kind(digest)) as run:
        run.core.greet()
        first, second = run.core.begin_upload(), run.core.begin_upload(first=b"one ")
        run.core.send_piece(second, b"two")
        run.core.send_piece(second, b"", more=False)
        run.core.cancel(first.id)
        assert run.core.expect("failure").head["message"] == "cancelled before it began: client_gone"
        assert list(incoming(run)) == []
        monkeypatch.setattr(asyncio_engine, "MOST_BEGUN", 64)
        run.core.send({"type": "ping"})
        responses = [run.core.receive(), run.core.receive()]
        assert [frame.body for frame in responses if frame.type == "response"] == [digest_of(b"one two")]


def test_asgi_tells_which_piece_is_the_last() -> None:
    events: list[Any] = []
    done = threading.Event()

    async def app(scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            for _ in range(3):
                events.append(await receive())
            await respond(send, b"")
            events.append(await receive())
            done.set()

    with running(AsgiApplication(app, "app")) as run:
        run.core.greet()
        upload = run.core.begin_upload(first=b"one")
        run.core.send_piece(upload, b"two")
        run.core.send_piece(upload, b"three", more=False)
        run.core.expect("response")
        assert done.wait(PATIENCE)
    assert events == [
        {"type": "http.request", "body": b"one", "more_body": True},
        {"type": "http.request", "body": b"two", "more_body": True},
        {"type": "http.request", "body": b"three", "more_body": False},
        {"type": "http.disconnect"},
    ]


def test_asgi_tells_a_disconnect_in_mid_body_and_ever_after() -> None:
    events: list[Any] = []
    done, begun = threading.Event(), threading.Event()

    async def app(scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            for _ in range(3):
                events.append(await receive())
                begun.set()
            done.set()

    with running(AsgiApplication(app, "app")) as run:
        run.core.greet()
        upload = run.core.begin_upload(first=b"one")
        assert begun.wait(PATIENCE)
        run.core.cancel(upload.id)
        assert done.wait(PATIENCE)
        run.core.expect("failure")
    assert events == [
        {"type": "http.request", "body": b"one", "more_body": True},
        {"type": "http.disconnect"},
        {"type": "http.disconnect"},
    ]


def test_asgi_tells_a_disconnect_to_who_reads_on_behind_the_response() -> None:
    events: list[Any] = []
    done = threading.Event()

    async def app(scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            waits = asyncio.ensure_future(receive())
            await asyncio.sleep(0)
            await respond(send, b"early")
            events.extend([await waits, await receive()])
            done.set()

    with running(AsgiApplication(app, "app")) as run:
        run.core.greet()
        run.core.begin_upload()
        assert run.core.expect("response").body == b"early"
        assert done.wait(PATIENCE)
    assert events == [{"type": "http.disconnect"}] * 2


def test_two_tasks_may_wait_for_the_pieces() -> None:
    """As where middleware waits for a disconnect while the application reads."""
    bodies: list[Any] = []

    async def app(scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            tasks = [asyncio.ensure_future(receive()) for _ in range(3)]
            done, waiting = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            while len(done) < 2:
                done, waiting = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                await asyncio.sleep(0)
            bodies.extend(sorted((task.result()["body"], task.result()["more_body"]) for task in done))
            await respond(send, b"")
            assert [(await task)["type"] for task in waiting] == ["http.disconnect"]

    with running(AsgiApplication(app, "app")) as run:
        run.core.greet()
        upload = run.core.begin_upload(first=b"one")
        run.core.send_piece(upload, b"two", more=False)
        run.core.expect("response")
    assert bodies == [(b"one", True), (b"two", False)]


def test_the_response_may_come_in_pieces_while_the_request_does() -> None:
    @streams_body
    async def echo(request: Request) -> Response:
        async def parts() -> AsyncIterator[bytes]:
            async for piece in request.stream():
                yield piece

        return Response(parts())

    with running(echo) as run:
        run.core.greet(stream_bytes=2**40)
        upload = run.core.begin_upload(first=b"begun")
        begin = run.core.expect("response")
        assert (begin.body, begin.head["more"]) == (b"begun", True)
        run.core.send_piece(upload, b"more")
        assert run.core.expect("data").body == b"more"
        run.core.send_piece(upload, b"end", more=False)
        came = b""
        while (frame := run.core.expect("data")).head.get("more"):
            came += frame.body
        assert came + frame.body == b"end"
        run.core.expect_pong()


def test_a_coroutine_without_the_mark_is_called_when_the_body_is_there() -> None:
    begun = threading.Event()

    async def handler(request: Request) -> Response:
        begun.set()
        if request.path == "/json":
            return Response(str(len(request.json())))
        if request.path == "/form":
            return Response(digest_of(request.form.files["file"].body))
        if request.path == "/stream":
            return Response(digest_of(b"".join([piece async for piece in request.stream()])))
        return Response(digest_of(request.body))

    begin = b'--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n'
    multipart = [["content-type", "multipart/form-data; boundary=b"]]
    with running(handler) as run:
        run.core.greet()
        upload = run.core.begin_upload(first=b"one ")
        run.core.expect_pong()
        assert not begun.is_set()
        assert run.core.send_rest(upload, b"two").body == digest_of(b"one two")
        assert run.core.upload(LARGE).body == digest_of(LARGE)
        assert run.core.upload(LARGE, "/stream").body == digest_of(LARGE)
        assert run.core.upload(b"[" + b"1," * 1_000_000 + b"1]", "/json").body == b"1000001"
        assert run.core.upload(begin + LARGE + b"\r\n--b--", "/form", headers=multipart).body == digest_of(LARGE)


def test_a_cancel_before_the_body_is_there_spares_the_coroutine() -> None:
    called: list[Request] = []

    async def handler(request: Request) -> Response:
        called.append(request)
        return Response("")

    with running(handler) as run:
        run.core.greet()
        upload = run.core.begin_upload(first=b"one")
        run.core.cancel(upload.id)
        assert "client_gone" in run.core.expect("failure").head["message"]
    assert called == []


def test_a_marked_coroutine_reads_before_it_uses_the_body() -> None:
    timed_out = threading.Event()

    @streams_body
    async def handler(request: Request) -> Response:
        if request.path == "/early":
            for part in (lambda: request.body, request.json, request.text, lambda: request.form):
                with pytest.raises(RuntimeError, match="await request"):
                    part()
        elif request.path == "/late":
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(request.read(), 0.01)
            timed_out.set()
        read = await request.read()
        assert read is request.body and await request.read() is read
        return Response(digest_of(read) if request.path != "/json" else str(len(request.json())))

    with running(handler) as run:
        run.core.greet()
        assert run.core.upload(LARGE).body == digest_of(LARGE)
        assert run.core.upload(LARGE, "/early").body == digest_of(LARGE)
        assert run.core.upload(b"[" + b"1," * 1_000_000 + b"1]", "/json").body == b"1000001"
        for path in ("/small", "/early"):
            run.core.request(path, b"whole")
            assert run.core.expect("response").body == digest_of(b"whole")
        upload = run.core.begin_upload("/late", first=b"one ")
        assert timed_out.wait(PATIENCE)
        assert run.core.send_rest(upload, b"two").body == digest_of(b"one two")


@pytest.mark.parametrize("large", [False, True])
def test_a_stream_gives_the_body_away_however_large_it_is(large: bool) -> None:
    @streams_body
    async def handler(request: Request) -> Response:
        length = sum([len(piece) async for piece in request.stream()])
        with pytest.raises(RuntimeError, match="given the body of this request away"):
            await request.read()
        for again in (lambda: request.body, request.stream):
            with pytest.raises(RuntimeError, match="given the body of this request away"):
                again()
        return Response(str(length))

    with running(handler) as run:
        run.core.greet()
        if large:
            assert run.core.upload(b"x" * 2_000_000).body == b"2000000"
        else:
            run.core.request(body=b"12345")
            assert run.core.expect("response").body == b"5"


def test_a_coroutine_iterates_by_async_for() -> None:
    @streams_body
    async def handler(request: Request) -> Response:
        with pytest.raises(TypeError, match="async for"):
            iter(request.stream())
        return Response("")

    with running(handler) as run:
        run.core.greet()
        assert run.core.upload(b"x").type == "response"
        run.core.request(body=b"x")
        assert run.core.expect("response").type == "response"


class Callables:
    @streams_body
    async def __call__(self, request: Request) -> Response:
        return await self.method(request)

    @streams_body
    async def method(self, request: Request, suffix: str = "") -> Response:
        assert request._source is not None
        return Response(f"{len(await request.read())}{suffix}")


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        (Callables(), b"2000000"),
        (Callables().method, b"2000000"),
        (functools.partial(Callables().method, suffix="!"), b"2000000!"),
    ],
)
def test_the_mark_is_seen_on_whatever_may_be_a_handler(handler: Any, expected: bytes) -> None:
    with running(handler) as run:
        run.core.greet()
        assert run.core.upload(b"x" * 2_000_000).body == expected
