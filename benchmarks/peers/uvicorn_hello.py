"""The least that an ASGI server can be asked to run."""

from collections.abc import Awaitable, Callable
from typing import Any

Send = Callable[[dict[str, Any]], Awaitable[None]]

BODY = b"hello\n"
HEADERS = [(b"content-type", b"text/plain"), (b"content-length", b"6")]


async def app(scope: dict[str, Any], receive: object, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": BODY})
