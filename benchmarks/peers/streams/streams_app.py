"""Events, a gigabyte down and a gigabyte up, as ASGI. streams_app.mjs is its twin."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

PIECE = b"x" * 65536

Send = Callable[[dict[str, Any]], Awaitable[None]]


async def app(scope: dict[str, Any], receive: Callable[[], Awaitable[dict[str, Any]]], send: Send) -> None:
    path, query = scope["path"], scope["query_string"]
    if path == "/events":
        await events(send, float(query))
    elif path == "/down":
        await down(send, int(query))
    elif path == "/up":
        size, more = 0, True
        while more:
            event = await receive()
            size += len(event.get("body", b""))
            more = event.get("more_body", False)
        await whole(send, b"%d" % size)
    else:
        await whole(send, b"hello\n")


async def whole(send: Send, body: bytes) -> None:
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def events(send: Send, pause: float) -> None:
    """Each event has the time at which it was made, by the clock that all processes share."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
    while True:
        event = b"data: %.6f\n\n" % time.monotonic()
        try:
            await send({"type": "http.response.body", "body": event, "more_body": True})
        except OSError:
            return  # the client has left
        await asyncio.sleep(pause)


async def down(send: Send, size: int) -> None:
    headers = [(b"content-length", b"%d" % size)]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for begin in range(0, size, len(PIECE)):
        piece = PIECE if size - begin >= len(PIECE) else PIECE[: size - begin]
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
