"""Large messages of WebSockets in fragments, as a core that names them gets them."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest
from handoff_worker.asgi.application import AsgiApplication
from played_core import PATIENCE, Frame, PlayedCore
from running_async import Run, running

MEGABYTE = 1024 * 1024
CREDIT = 64 * 1024
FEATURES = ("streams", "websockets", "fragments")
MOST_FRAGMENT_BYTES = 16 * 1024
COST_BYTES = 64

Send = Callable[[dict[str, Any]], Awaitable[None]]


class Site:
    """An application that does with each WebSocket what its test says, and answers requests."""

    def __init__(self, deed: Callable[[Send], Awaitable[None]]) -> None:
        self._deed = deed
        self.done = threading.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            await self._deed(send)
            self.done.set()
        elif scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"well"})

    def __repr__(self) -> str:
        return "site"


def sends(*messages: str | bytes) -> Callable[[Send], Awaitable[None]]:
    async def deed(send: Send) -> None:
        for message in messages:
            kind = "text" if isinstance(message, str) else "bytes"
            await send({"type": "websocket.send", kind: message})

    return deed


def opened(run: Run, credit: int = CREDIT) -> int:
    run.core.greet(stream_bytes=credit, features=FEATURES)
    id = run.core.request("/", websocket=[])
    assert run.core.expect("response").head["status"] == 101
    return id


def whole_message(core: PlayedCore, id: int, grant: bool = True) -> Frame:
    """The next message of that WebSocket, joined. Checks its fragments, and grants credit for them."""
    fragments: list[Frame] = []
    while not fragments or fragments[-1].head.get("more"):
        frame = core.expect("message")
        assert frame.head["id"] == id
        assert len(frame.body) <= MOST_FRAGMENT_BYTES
        fragments.append(frame)
        if grant:
            core.credit(id, len(frame.body) + COST_BYTES)
    return Frame(fragments[0].head, b"".join(each.body for each in fragments))


@pytest.mark.parametrize(
    "message",
    [b"", bytes(MOST_FRAGMENT_BYTES), bytes(MOST_FRAGMENT_BYTES + 1), "x" * MEGABYTE, "ü€😀" * 100_000],
    ids=range(5),
)
def test_a_message_is_joined_from_its_fragments(message: str | bytes) -> None:
    with running(AsgiApplication(Site(sends(message, "next")), "site")) as run:
        id = opened(run)
        came = whole_message(run.core, id)
        assert came.head.get("text", False) == isinstance(message, str)
        assert came.body == (message.encode() if isinstance(message, str) else message)
        assert whole_message(run.core, id).body == b"next"
        assert run.core.expect("close").head == {"type": "close", "id": id, "code": 1000}


def test_a_client_that_takes_nothing_gets_no_more_than_its_credit() -> None:
    with running(AsgiApplication(Site(sends(bytes(MEGABYTE))), "site")) as run:
        opened(run)
        came = 0
        while came < CREDIT:
            came += len(run.core.expect("message").body) + COST_BYTES
        run.core.expect_pong()
        assert came < CREDIT + MOST_FRAGMENT_BYTES + COST_BYTES
        late = run.core.request("/")
        assert run.core.expect("response").head["id"] == late


def test_what_is_sent_behind_a_message_waits_for_it_and_so_does_the_end() -> None:
    async def deed(send: Send) -> None:
        tasks = [asyncio.create_task(sends(each)(send)) for each in (bytes(MEGABYTE), "small", bytes(CREDIT))]
        await asyncio.gather(*tasks)
        await send({"type": "websocket.close", "code": 4000})

    with running(AsgiApplication(Site(deed), "site")) as run:
        id = opened(run)
        assert [len(whole_message(run.core, id).body) for _ in range(3)] == [MEGABYTE, 5, CREDIT]
        assert run.core.expect("close").head["code"] == 4000


def test_a_send_that_was_given_up_leaves_no_half_of_a_message() -> None:
    async def deed(send: Send) -> None:
        for _ in range(2):
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(sends(bytes(MEGABYTE))(send), 0.01)
        await sends("last")(send)

    with running(AsgiApplication(Site(deed), "site")) as run:
        id = opened(run)
        came = []
        while not came or came[-1] != 4:
            came.append(len(whole_message(run.core, id).body))
        assert set(came[:-1]) == {MEGABYTE}
        run.core.expect("close")


def test_a_failure_comes_behind_what_was_sent() -> None:
    async def deed(send: Send) -> None:
        await sends(bytes(MEGABYTE))(send)
        raise LookupError("as tested")

    with running(AsgiApplication(Site(deed), "site")) as run:
        id = opened(run)
        assert len(whole_message(run.core, id).body) == MEGABYTE
        assert run.core.expect("failure").head["id"] == id


@pytest.mark.parametrize("deed", [sends(bytes(MEGABYTE)), sends(bytes(MEGABYTE), b"more")], ids=["over", "waits"])
def test_a_client_that_leaves_ends_it_in_the_middle(deed: Callable[[Send], Awaitable[None]]) -> None:
    site = Site(deed)
    with running(AsgiApplication(site, "site")) as run:
        id = opened(run)
        run.core.expect("message")
        run.core.send({"type": "close", "id": id, "code": 1006})
        while (frame := run.core.receive()).type == "message":
            pass
        assert (frame.type, frame.head["id"]) == ("close", id)
        run.core.expect_pong()
        assert run.engine is not None
        assert not run.engine.connection.in_flight


def test_text_that_cannot_be_utf_8_sends_nothing_of_itself() -> None:
    async def deed(send: Send) -> None:
        with pytest.raises(UnicodeEncodeError):
            await sends("x" * MEGABYTE + "\ud800")(send)
        await sends("well")(send)

    with running(AsgiApplication(Site(deed), "site")) as run:
        id = opened(run)
        assert whole_message(run.core, id).body == b"well"


SOCKETS = 50


def test_pieces_and_medium_messages_pass_a_broadcast() -> None:
    """They wait for one turn of a large message each, and not for one of every member."""
    ready = threading.Semaphore(0)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            content = bytes(MEGABYTE if scope["path"] == "/room" else 3 * MOST_FRAGMENT_BYTES)
            ready.release()
            await receive()
            for _ in range(5):
                await send({"type": "websocket.send", "bytes": content})
            await receive()
            await receive()
        elif scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            for _ in range(5):
                await send({"type": "http.response.body", "body": bytes(20_000), "more_body": True})
            await send({"type": "http.response.body", "body": b""})

    with running(AsgiApplication(app, "app")) as run:
        run.core.greet(stream_bytes=100 * MEGABYTE, features=FEATURES)
        for _ in range(SOCKETS):
            run.core.request("/room", websocket=[])
        for _ in range(SOCKETS):
            assert ready.acquire(timeout=PATIENCE)
        while run.engine is None or not run.engine._turns._large:  # all sockets are full, and the members wait
            pass
        medium = run.core.request("/medium", websocket=[])
        stream = run.core.request("/pieces")
        missing = {medium: 5 * 3 * MOST_FRAGMENT_BYTES, stream: 5 * 20_000}
        behind = 0
        while any(missing.values()):
            frame = run.core.receive()
            if frame.head["id"] in missing:
                missing[frame.head["id"]] -= len(frame.body)
            else:
                behind += len(frame.body)
        assert behind <= 5 * MEGABYTE, "in a round of turns the members alone have 3 MiB"
