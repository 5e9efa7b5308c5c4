"""What is left of a request when its call is over: nothing, also without a garbage collection, since its body may be large."""

import asyncio
import gc
import logging
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest
from handoff_worker import Request, Response, streams_body
from handoff_worker.asgi.application import AsgiApplication
from handoff_worker.asgi.call import Call as AsgiCall
from handoff_worker.engine import cancel_grace
from handoff_worker.engine.application import AsyncApplication, BlockingApplication
from handoff_worker.engine.async_body import AsyncBody, AsyncWholeBody
from handoff_worker.engine.async_response import AsyncResponse
from handoff_worker.engine.blocking_body import BlockingBody
from handoff_worker.engine.blocking_response import BlockingResponse
from handoff_worker.engine.failure_log import tell_failure
from handoff_worker.plain.async_function import AsyncFunction
from handoff_worker.plain.function import BlockingFunction
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.protocol.large_exchange import LargeExchange
from handoff_worker.protocol.request_body import RequestBody
from handoff_worker.protocol.response_stream import ResponseStream
from handoff_worker.wsgi.application import WsgiApplication
from handoff_worker.wsgi.call import Call as WsgiCall
from handoff_worker.wsgi.input import PiecesFile
from recorded import Outbox, exchange, large_exchange

BODY = b"content" * 100


class Marker:
    """Lives as long as what refers to a call of an application."""


# What tests before this one have left, which is no concern of this one's.
_others: list[object] = []


@pytest.fixture(autouse=True)
def without_collections() -> Iterator[None]:
    gc.collect()
    _others[:] = of_requests()
    gc.disable()
    yield
    gc.enable()
    _others.clear()


def of_requests() -> list[object]:
    """The objects that are alive and belong to a request."""
    kinds = (Exchange, Request, Marker, AsgiCall, WsgiCall, AsyncResponse, BlockingResponse, ResponseStream)
    kinds += (LargeExchange, RequestBody, AsyncBody, AsyncWholeBody, BlockingBody, PiecesFile)
    return [each for each in gc.get_objects() if type(each) in kinds]


def left() -> list[str]:
    """The kinds of those that this test has left."""
    others = {id(each) for each in _others}
    return sorted(type(each).__name__ for each in of_requests() if id(each) not in others)


def left_when_all_threads_are_done() -> list[str]:
    """As `left`, once the pacer's thread has ended the look at a response that it may be in the middle of."""
    deadline = time.monotonic() + 5
    while left() and time.monotonic() < deadline:
        time.sleep(0.005)
    return left()


async def listening(scope: dict[str, Any], receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": b"event", "more_body": True})
    await asyncio.Event().wait()


async def listened(request: Request) -> Response:
    size = len(request.body)

    async def events() -> AsyncIterator[bytes]:
        yield b"%d" % size
        await asyncio.Event().wait()

    return Response(events())


async def listened_with_its_body(request: Request) -> Response:
    async def events() -> AsyncIterator[bytes]:
        yield b"%d" % len(request.body)
        await asyncio.Event().wait()
        assert request.body

    return Response(events())


@streams_body
async def listened_to_what_it_read(request: Request) -> Response:
    await request.read()
    return await listened(request)


@pytest.mark.parametrize(
    ("application", "is_kept"),
    [
        (AsgiApplication(listening, "listening"), False),
        (AsyncFunction(listened), False),
        (AsyncFunction(listened_to_what_it_read), False),
        (AsyncFunction(listened_with_its_body), True),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_a_response_in_pieces_keeps_no_body(application: AsyncApplication, is_kept: bool) -> None:
    async def run() -> None:
        outbox = Outbox(stream_bytes=1000)
        await application.start()
        body = bytes(bytearray(BODY))
        before = sys.getrefcount(body)
        one = exchange(outbox, method="POST", body=body)
        application.begin(one)
        while not outbox.kept:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert outbox.kept[0].head["more"]
        assert sys.getrefcount(body) - before == is_kept
        one.cancel("client_gone")
        while not one.answered:
            await asyncio.sleep(0)

    asyncio.run(run())


def test_a_response_in_pieces_of_a_function_that_blocks_keeps_no_body() -> None:
    body = bytes(bytearray(BODY))
    before = sys.getrefcount(body)
    found = []

    def parts(size: int) -> Iterator[bytes]:
        for _ in range(3):
            found.append(sys.getrefcount(body) - before)
            yield b"x" * 500

    outbox = Outbox(stream_bytes=10_000)
    one = exchange(outbox, method="POST", body=body)
    BlockingFunction(lambda request: Response(parts(len(request.body)))).begin(one)
    assert found == [0, 0, 0]


async def answered_or_cancelled(application: AsyncApplication, cancels: bool, outbox: Outbox) -> None:
    answered = asyncio.Event()
    outbox.on_put = answered.set
    one = exchange(outbox, method="POST", body=BODY)
    application.begin(one)
    for _ in range(5):
        await asyncio.sleep(0)
    if cancels:
        one.cancel("client_gone")
    await asyncio.wait_for(answered.wait(), 5)
    del one
    await asyncio.sleep(0.01)  # until the task has ended, and its callbacks are called


async def wait(body: bytes) -> None:
    marker = Marker()
    await asyncio.get_running_loop().create_future()
    del marker


async def fail(body: bytes) -> None:
    marker = Marker()
    await asyncio.sleep(0)
    raise ValueError(f"no {type(marker).__name__}")


async def hold(body: bytes) -> None:
    """Keeps the exception that it raises in a variable of its own, as contextlib and others do."""
    marker = Marker()
    try:
        await asyncio.get_running_loop().create_future()
    except asyncio.CancelledError as error:
        kept = error
        raise kept  # noqa: B904  it is the same error
    del marker


async def catch(body: bytes) -> None:
    try:
        await wait(body)
    except asyncio.CancelledError:
        return


def asgi(what: Callable[[bytes], Awaitable[None]]) -> AsyncApplication:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        body = (await receive())["body"]
        await what(body)

    return AsgiApplication(app, "app")


def coroutine(what: Callable[[bytes], Awaitable[None]]) -> AsyncApplication:
    async def handler(request: Request) -> Response:
        await what(request.body)
        return Response("")

    return AsyncFunction(handler)


@pytest.mark.parametrize("kind", [asgi, coroutine])
@pytest.mark.parametrize(("what", "cancels"), [(wait, True), (hold, True), (catch, True), (fail, False)])
def test_nothing_is_left_of_a_task(
    kind: Callable[[Callable[[bytes], Awaitable[None]]], AsyncApplication],
    what: Callable[[bytes], Awaitable[None]],
    cancels: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL + 1, "handoff")  # pytest keeps what is logged
    monkeypatch.setattr(cancel_grace, "CANCEL_GRACE_SECONDS", 0.0)

    async def scenario() -> list[str]:
        application = kind(what)
        if isinstance(application, AsyncFunction):
            await application.start()
        outbox = Outbox()
        await answered_or_cancelled(application, cancels, outbox)
        assert outbox.kept
        return left()

    assert asyncio.run(scenario()) == []


async def parts_of(wait_for: str) -> AsyncIterator[bytes]:
    marker = Marker()
    yield BODY
    await asyncio.sleep(0)
    yield BODY
    if wait_for == "cancel":
        await asyncio.get_running_loop().create_future()
    if wait_for == "failure":
        raise ValueError(f"no {type(marker).__name__}")


def stream_of_asgi(wait_for: str) -> AsyncApplication:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})
        async for part in parts_of(wait_for):
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body"})

    return AsgiApplication(app, "app")


def stream_of_coroutine(wait_for: str) -> AsyncApplication:
    async def handler(request: Request) -> Response:
        return Response(parts_of(wait_for))

    return AsyncFunction(handler)


@pytest.mark.parametrize("kind", [stream_of_asgi, stream_of_coroutine])
@pytest.mark.parametrize("wait_for", ["end", "cancel", "failure"])
def test_nothing_is_left_of_a_response_in_pieces(
    kind: Callable[[str], AsyncApplication],
    wait_for: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL + 1, "handoff")
    monkeypatch.setattr(cancel_grace, "CANCEL_GRACE_SECONDS", 0.0)

    async def scenario() -> list[str]:
        application = kind(wait_for)
        if isinstance(application, AsyncFunction):
            await application.start()
        outbox = Outbox(stream_bytes=10 * len(BODY))
        one = exchange(outbox, method="POST", body=BODY)
        application.begin(one)
        for _ in range(10):
            await asyncio.sleep(0)
        assert outbox.kept[0].head.get("more")
        if wait_for == "cancel":
            one.cancel("client_gone")
        assert one.answered
        del one
        await asyncio.sleep(0.01)
        return left()

    assert asyncio.run(scenario()) == []


def wsgi(fails: bool) -> BlockingApplication:
    def app(environ: dict[str, Any], start_response: Any) -> Iterator[bytes]:
        marker = Marker()
        environ["marker"] = marker
        start_response("200 OK", [])
        yield environ["wsgi.input"].read()
        if fails:
            raise ValueError("no")

    return WsgiApplication(app, "app", multithread=True)


def plain(fails: bool) -> BlockingApplication:
    def handler(request: Request) -> Response:
        marker = Marker()
        request.on_cancel(lambda reason: print(request, marker))
        if fails:
            raise ValueError("no")
        return Response(request.body)

    return BlockingFunction(handler)


def large_parts(fails: bool) -> Iterator[bytes]:
    marker = Marker()
    yield b"x" * 70_000
    yield b"x"
    if fails:
        raise ValueError(f"no {type(marker).__name__}")


def stream_of_wsgi(fails: bool) -> BlockingApplication:
    def app(environ: dict[str, Any], start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [])
        return large_parts(fails)

    return WsgiApplication(app, "app", multithread=True)


def stream_of_plain(fails: bool) -> BlockingApplication:
    return BlockingFunction(lambda request: Response(large_parts(fails)))


@pytest.mark.parametrize("kind", [wsgi, plain, stream_of_wsgi, stream_of_plain])
@pytest.mark.parametrize("cancels", [False, True])
@pytest.mark.parametrize("fails", [False, True])
def test_nothing_is_left_of_a_call_that_blocks(
    kind: Callable[[bool], BlockingApplication],
    cancels: bool,
    fails: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL + 1, "handoff")

    def call() -> None:
        one = exchange(Outbox(stream_bytes=200_000), method="POST", body=BODY)
        if cancels:
            one.cancel("client_gone")
        application = kind(fails)
        try:
            application.begin(one)
        except ValueError as error:
            tell_failure(one, error, "app")

    call()
    assert left_when_all_threads_are_done() == []


def upload_to_asgi(what: Callable[[bytes], Awaitable[None]]) -> AsyncApplication:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (event := await receive()).get("more_body"):
            pass
        await what(event.get("body", b""))

    return AsgiApplication(app, "app")


def upload_to_coroutine(what: Callable[[bytes], Awaitable[None]]) -> AsyncApplication:
    @streams_body
    async def handler(request: Request) -> Response:
        async for piece in request.stream():
            last = piece
        await what(last)
        return Response("")

    return AsyncFunction(handler)


@pytest.mark.parametrize("kind", [upload_to_asgi, upload_to_coroutine, coroutine])
@pytest.mark.parametrize("is_whole", [False, True])
def test_nothing_is_left_of_an_upload(
    kind: Callable[[Callable[[bytes], Awaitable[None]]], AsyncApplication],
    is_whole: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL + 1, "handoff")
    monkeypatch.setattr(cancel_grace, "CANCEL_GRACE_SECONDS", 0.0)

    async def scenario() -> list[str]:
        application = kind(fail if is_whole else wait)
        if isinstance(application, AsyncFunction):
            await application.start()
        outbox = Outbox()
        answered = asyncio.Event()
        outbox.on_put = answered.set
        one = large_exchange(outbox, BODY)
        application.begin(one)
        for _ in range(5):
            await asyncio.sleep(0)
        assert not outbox.kept
        if is_whole:
            one.pieces.add(BODY, more=False)
        else:
            one.cancel("client_gone")
        await asyncio.wait_for(answered.wait(), 5)
        del one
        await asyncio.sleep(0.01)
        return left()

    assert asyncio.run(scenario()) == []


def upload_to_wsgi(fails: bool) -> BlockingApplication:
    def app(environ: dict[str, Any], start_response: Any) -> Iterator[bytes]:
        environ["wsgi.input"].read(10)
        if fails:
            raise ValueError("no")
        start_response("200 OK", [])
        yield b""

    return WsgiApplication(app, "app", multithread=True)


def upload_to_plain(fails: bool) -> BlockingApplication:
    def handler(request: Request) -> Response:
        pieces = iter(request.stream())
        next(pieces)
        if fails:
            raise ValueError("no")
        return Response("")

    return BlockingFunction(handler)


@pytest.mark.parametrize("kind", [upload_to_wsgi, upload_to_plain])
@pytest.mark.parametrize("cancels", [False, True])
@pytest.mark.parametrize("fails", [False, True])
def test_nothing_is_left_of_an_upload_to_a_call_that_blocks(
    kind: Callable[[bool], BlockingApplication], cancels: bool, fails: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL + 1, "handoff")

    def call() -> None:
        one = large_exchange(Outbox(), BODY)
        if cancels:
            one.cancel("client_gone")
        try:
            kind(fails).begin(one)
        except ValueError as error:
            tell_failure(one, error, "app")
        assert one.answered

    call()
    assert left_when_all_threads_are_done() == []
