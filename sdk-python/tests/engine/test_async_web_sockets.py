"""Large messages of WebSockets beside the responses of others, where the core does not take all at once."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from handoff_worker.asgi.application import AsgiApplication
from played_core import PATIENCE
from running_async import Run, running

MEGABYTE = 1024 * 1024
SOCKETS = 20
MESSAGES = 5
CREDIT = MESSAGES * MEGABYTE
"""Enough for all messages of a WebSocket: one may pass it."""
MOST_BEFORE_BYTES = 8 * MEGABYTE
"""What may leave before a response: what has its turn, and what was on its way."""
RESPONSE_BYTES = 200_000
MESSAGE_FRAME_BYTES = 40
"""The frame of a small message has at least so many."""


class Room:
    """An application that sends each WebSocket five messages of a megabyte, and answers requests with 200 kB."""

    def __init__(self) -> None:
        self.sent = 0
        self.answered = threading.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            for _ in range(MESSAGES):
                await send({"type": "websocket.send", "bytes": bytes(MEGABYTE)})
                self.sent += 1
            await receive()
            await receive()
        elif scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": bytes(RESPONSE_BYTES)})
            self.answered.set()


def in_loop(run: Run, action: Callable[[], None]) -> None:
    async def act() -> None:
        action()

    assert run._loop is not None
    asyncio.run_coroutine_threadsafe(act(), run._loop).result(PATIENCE)


def open_all(run: Run) -> list[int]:
    run.core.greet(stream_bytes=CREDIT)
    return [run.core.request("/room", websocket=[]) for _ in range(SOCKETS)]


def settle(run: Run) -> None:
    """Returns when the loop has done all that it can: what it was sent first is answered, and turns change nothing."""
    for _ in range(200):
        in_loop(run, lambda: None)


def test_a_response_does_not_wait_behind_all_large_messages() -> None:
    room = Room()
    with running(AsgiApplication(room, "room")) as run:
        ids = open_all(run)
        settle(run)
        late = run.core.request("/")
        assert room.answered.wait(PATIENCE)
        before = messages = 0
        while (frame := run.core.receive()).head["id"] != late:
            before += len(frame.body)
            messages += frame.type == "message"
        assert len(frame.body) == RESPONSE_BYTES
        assert before <= MOST_BEFORE_BYTES, "it waits for what has left, and for one turn"
        came = dict.fromkeys(ids, 0)
        while messages < SOCKETS * MESSAGES:
            frame = run.core.receive()
            if frame.type == "message":
                messages += 1
                came[frame.head["id"]] += 1
        assert room.sent == SOCKETS * MESSAGES, "and all messages leave"


def test_messages_wait_with_the_application_while_the_core_takes_nothing() -> None:
    room = Room()
    with running(AsgiApplication(room, "room")) as run:
        open_all(run)
        settle(run)
        assert room.sent * MEGABYTE <= MOST_BEFORE_BYTES


def test_a_core_that_takes_little_at_a_time_is_not_lost() -> None:
    room = Room()
    with running(AsgiApplication(room, "room")) as run:
        open_all(run)
        settle(run)
        assert run.engine is not None
        for _ in range(3):
            for _ in range(2):  # more than sockets hold
                while run.core.receive().type != "message":
                    pass
            settle(run)  # it has seen that there is room
            in_loop(run, run.engine._stalled)
            settle(run)
        assert run.engine._paused, "there is always something left"
        assert run.thread.is_alive()
        run.core.request("/")
        assert room.answered.wait(PATIENCE)

        assert run._loop is not None
        for _ in range(2):  # the first may still see what was taken before
            run._loop.call_soon_threadsafe(run.engine._stalled)
        with pytest.raises((EOFError, ConnectionError)):
            for _ in range(10 * SOCKETS * MESSAGES):
                run.core.receive()


def test_a_flood_of_small_messages_keeps_no_request_waiting() -> None:
    """What hundreds of WebSockets have credit for in small messages is more than may be unsent where requests begin."""
    begun = threading.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            while True:
                await send({"type": "websocket.send", "bytes": b"hello"})
        elif scope["type"] == "http":
            begun.set()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"hello"})

    with running(AsgiApplication(app, "app")) as run:
        open_all(run)
        settle(run)
        late = run.core.request("/")
        assert begun.wait(PATIENCE), "nothing that is unsent is its own to wait for"
        before = 0
        while run.core.receive().head["id"] != late:
            before += 1
        assert before * MESSAGE_FRAME_BYTES <= MOST_BEFORE_BYTES
