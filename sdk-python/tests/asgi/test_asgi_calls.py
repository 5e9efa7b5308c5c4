"""What an ASGI application may do with receive and send, and what becomes of its request."""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

import pytest
from handoff_worker.asgi.application import AsgiApplication
from handoff_worker.engine import cancel_grace
from handoff_worker.protocol.frames import BrokenFrame
from handoff_worker.start.kinds import is_asgi, is_asgi2
from recorded import Kept, Outbox, exchange

Events = list[dict[str, Any]]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

PATIENCE = 5.0
"""Less than what `stop` waits for work in the background."""
START = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]}


def part(body: bytes, more: bool = False) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more}


def sending(*events: dict[str, Any]) -> Any:
    async def app(scope: Any, receive: Receive, send: Send) -> None:
        for event in events:
            await send(event)

    return app


async def begun(app: Any, outbox: Outbox, **request: Any) -> Any:
    """Begins a request; returns it and the application that has it."""
    application = AsgiApplication(app, "app")
    one = exchange(outbox, **request)
    application.begin(one)
    return one, application


def response_of(app: Any, body_limit: int = 1000, **request: Any) -> Kept:
    """What the application answers, whatever it does after that."""
    outbox = Outbox(body_limit)

    async def ask() -> None:
        answered = asyncio.Event()
        outbox.on_put = answered.set
        _, application = await begun(app, outbox, **request)
        await asyncio.wait_for(answered.wait(), PATIENCE)
        await application.stop()

    asyncio.run(ask())
    return outbox.only


def test_response_has_status_headers_and_body() -> None:
    cookies = [(b"Set-Cookie", b"a=1"), (b"set-cookie", b"\xe9=2")]
    kept = response_of(sending({"type": "http.response.start", "status": 201, "headers": cookies}, part(b"hello")))
    assert (kept.status, kept.headers) == (201, [("Set-Cookie", "a=1"), ("set-cookie", "\xe9=2")])
    assert kept.body == b"hello"


def test_headers_and_body_may_be_left_out() -> None:
    kept = response_of(sending({"type": "http.response.start", "status": 204}, {"type": "http.response.body"}))
    assert (kept.status, kept.headers, kept.body) == (204, [], b"")


def test_parts_of_the_body_are_gathered() -> None:
    parts = [part(b"one ", more=True), part(b"", more=True), part(b"two", more=True), part(b"")]
    assert response_of(sending(START, *parts)).body == b"one two"


def test_part_may_be_a_view_of_something_that_changes() -> None:
    async def app(scope: Any, receive: Receive, send: Send) -> None:
        buffer = bytearray(b"abc")
        await send(START)
        await send({"type": "http.response.body", "body": memoryview(buffer), "more_body": True})
        buffer[:] = b"xyz"
        await send(part(b""))

    assert response_of(app).body == b"abc"


def test_body_comes_in_one_event_and_then_the_disconnect() -> None:
    events = []

    async def app(scope: Any, receive: Receive, send: Send) -> None:
        events.append(await receive())
        await send(START)
        await send(part(b""))
        events.append(await receive())

    response_of(app, method="POST", body=b"hello")
    assert events == [
        {"type": "http.request", "body": b"hello", "more_body": False},
        {"type": "http.disconnect"},
    ]


def test_response_ends_the_wait_for_the_disconnect() -> None:
    events: Events = []

    async def app(scope: Any, receive: Receive, send: Send) -> None:
        await receive()
        waiting = asyncio.ensure_future(receive())
        await asyncio.sleep(0)
        await send(START)
        await send(part(b""))
        events.append(await asyncio.wait_for(waiting, PATIENCE))

    response_of(app)
    assert events == [{"type": "http.disconnect"}]


def test_response_leaves_before_what_the_application_does_after_it() -> None:
    async def scenario() -> None:
        outbox, answered, go_on, done = Outbox(), asyncio.Event(), asyncio.Event(), asyncio.Event()
        outbox.on_put = answered.set

        async def app(scope: Any, receive: Receive, send: Send) -> None:
            await send(START)
            await send(part(b"hello"))
            await go_on.wait()
            done.set()

        _, application = await begun(app, outbox)
        await asyncio.wait_for(answered.wait(), PATIENCE)
        assert outbox.only.body == b"hello" and not done.is_set()
        go_on.set()
        await application.stop()
        assert done.is_set(), "stop waits for work in the background"

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("events", "rule"),
    [
        ([part(b"x")], "http.response.start was expected"),
        ([START, START], "http.response.body was expected"),
        ([START], "its last event has to be an http.response.body without more_body"),
        ([START, part(b"x", more=True)], "its last event has to be an http.response.body without more_body"),
        ([], "it sent no http.response.start"),
        ([{"type": "websocket.accept"}], "sent websocket.accept"),
        ([START | {"status": 99}, part(b"")], "status 99"),
        ([START | {"headers": [(b"a", b"b\r\nc: d")]}, part(b"")], "header a"),
        ([START | {"headers": [(b"content-length", b"4")]}, part(b"hello")], "Content-Length of 4 and gave 5"),
        (
            [START | {"headers": [(b"content-length", b"5"), (b"content-length", b"9")]}, part(b"hello")],
            "Content-Length of 9 and gave 5",
        ),
        ([START, part(b"x" * 501, more=True), part(b"x" * 500)], "larger than the 1000 bytes"),
    ],
)
def test_broken_rule_fails_the_request_and_is_named(events: Events, rule: str) -> None:
    assert rule in response_of(sending(*events)).failure


def test_body_may_be_as_large_as_the_core_takes() -> None:
    assert len(response_of(sending(START, part(b"x" * 500, more=True), part(b"x" * 500))).body) == 1000


def test_exception_fails_the_request() -> None:
    async def app(scope: Any, receive: Receive, send: Send) -> None:
        await send(START)
        await send(part(b"begun", more=True))
        raise LookupError("nothing there")

    assert response_of(app).failure == "LookupError: nothing there"


def test_exception_after_the_response_is_logged_and_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async def app(scope: Any, receive: Receive, send: Send) -> None:
        await send(START)
        await send(part(b"hello"))
        raise LookupError("too late")

    assert response_of(app).body == b"hello"
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [LookupError]


@pytest.mark.parametrize(("method", "declared"), [("HEAD", b"5"), ("GET", b"0")])
def test_length_may_be_the_one_that_get_would_have(method: str, declared: bytes) -> None:
    kept = response_of(sending(START | {"headers": [(b"content-length", declared)]}, part(b"")), method=method)
    assert kept.headers == [("content-length", declared.decode())]


def test_cancel_wakes_all_who_wait_for_the_disconnect() -> None:
    async def scenario() -> None:
        outbox = Outbox()
        events: Events = []

        async def app(scope: Any, receive: Receive, send: Send) -> None:
            await receive()
            events.extend(await asyncio.gather(receive(), receive()))

        one, application = await begun(app, outbox)
        for _ in range(5):
            await asyncio.sleep(0)
        assert events == []
        one.cancel("client_gone")
        await application.stop()
        assert events == [{"type": "http.disconnect"}] * 2
        assert outbox.only.failure, "the place in the window is free again"

    asyncio.run(scenario())


def test_send_raises_an_os_error_once_nobody_waits() -> None:
    async def scenario() -> None:
        outbox, go_on, raised = Outbox(), asyncio.Event(), []

        async def app(scope: Any, receive: Receive, send: Send) -> None:
            await go_on.wait()
            try:
                await send(START)
            except OSError as error:
                raised.append(str(error))

        one, application = await begun(app, outbox)
        one.cancel("deadline")
        go_on.set()
        await application.stop()
        assert raised == ["nobody waits for this response any more: deadline"]

    asyncio.run(scenario())


@pytest.mark.parametrize("request_parts", [{}, {"websocket": []}], ids=["response", "WebSocket before it is accepted"])
@pytest.mark.parametrize("stubborn", [False, True])
def test_request_that_goes_on_after_its_cancel_is_given_up(
    stubborn: bool, request_parts: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cancel_grace, "CANCEL_GRACE_SECONDS", 0.0)

    async def scenario() -> None:
        outbox, answered, told, go_on = Outbox(), asyncio.Event(), asyncio.Event(), asyncio.Event()
        outbox.on_put = answered.set

        async def app(scope: Any, receive: Receive, send: Send) -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                told.set()
                if stubborn:
                    await go_on.wait()

        one, application = await begun(app, outbox, **request_parts)
        one.cancel("client_gone")
        try:
            await asyncio.wait_for(answered.wait(), PATIENCE)
            await asyncio.wait_for(told.wait(), PATIENCE)
        finally:
            go_on.set()
        await application.stop()
        assert "given up" in outbox.only.failure

    asyncio.run(scenario())


def test_application_may_run_on_when_its_open_web_socket_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cancel_grace, "CANCEL_GRACE_SECONDS", 0.0)

    async def scenario() -> None:
        events: Events = []
        opened, told, go_on, done = asyncio.Event(), asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def app(scope: Any, receive: Receive, send: Send) -> None:
            await receive()
            await send({"type": "websocket.accept"})
            opened.set()
            events.append(await receive())
            told.set()
            await go_on.wait()
            done.set()

        one, application = await begun(app, Outbox(stream_bytes=65_536), websocket=[])
        await asyncio.wait_for(opened.wait(), PATIENCE)
        one.cancel("client_gone")
        await asyncio.wait_for(told.wait(), PATIENCE)
        for _ in range(5):
            await asyncio.sleep(0)
        go_on.set()
        await application.stop()
        assert done.is_set()
        assert events == [{"type": "websocket.disconnect", "code": 1006, "reason": ""}]

    asyncio.run(scenario())


def test_each_request_has_context_variables_of_its_own() -> None:
    user: ContextVar[str] = ContextVar("user", default="nobody")
    seen = []

    async def app(scope: Any, receive: Receive, send: Send) -> None:
        seen.append(user.get())
        user.set(scope["path"])
        await asyncio.sleep(0)
        seen.append(user.get())
        await send(START)
        await send(part(b""))

    async def scenario() -> None:
        application = AsgiApplication(app, "app")
        for target in ("/a", "/b"):
            application.begin(exchange(Outbox(), target=target))
        await application.stop()
        assert user.get() == "nobody"

    asyncio.run(scenario())
    assert sorted(seen) == ["/a", "/b", "nobody", "nobody"]


def test_tells_asgi_applications_from_others() -> None:
    class Application:
        async def __call__(self, scope: object, receive: object, send: object) -> None: ...

    class Older:
        def __init__(self, scope: object) -> None: ...
        async def __call__(self, receive: object, send: object) -> None: ...

    async def plain(request: object) -> None: ...

    assert is_asgi(sending()) and is_asgi(Application())
    assert not is_asgi(plain) and not is_asgi(Application) and not is_asgi(lambda environ, start_response: [])
    assert is_asgi2(Older) and not is_asgi2(Application) and not is_asgi2(plain)


@pytest.mark.parametrize(
    "broken",
    [{"version": 1.1}, {"websocket": "chat"}, {"client": "nobody"}, {"headers": [("host", "a:b")]}],
    ids=lambda keys: next(iter(keys)),
)
def test_a_request_whose_head_is_broken_is_answered_too(broken: dict[str, Any]) -> None:
    """The engine answers what `begin` raises, and the application all else: the scope is made after `begin` has returned."""
    outbox = Outbox()

    async def main() -> None:
        application = AsgiApplication(sending(START, part(b"")), "app")
        request = exchange(outbox, **broken)
        try:
            application.begin(request)
        except BrokenFrame as problem:
            request.fail(str(problem))
        await asyncio.sleep(0)

    asyncio.run(main())
    assert outbox.only.failure
