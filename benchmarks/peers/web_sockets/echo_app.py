"""Sends each message of a WebSocket back, as ASGI. echo_app.mjs is its twin."""

from collections.abc import Awaitable, Callable
from typing import Any

Event = dict[str, Any]
HEADERS = [(b"content-type", b"text/plain"), (b"content-length", b"6")]


async def app(scope: Event, receive: Callable[[], Awaitable[Event]], send: Callable[[Event], Awaitable[None]]) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (event := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "bytes": event["bytes"]})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await send({"type": "http.response.body", "body": b"hello\n"})
