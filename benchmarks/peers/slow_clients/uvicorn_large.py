"""Like uvicorn_hello.py, but for `/large`, which answers with more than a slow reader ever takes."""

from typing import Any

import uvicorn_hello
from uvicorn_hello import Send

LARGE = b"x" * (256 * 1024)
HEADERS = [(b"content-type", b"text/plain"), (b"content-length", str(len(LARGE)).encode())]


async def app(scope: dict[str, Any], receive: object, send: Send) -> None:
    if scope["path"] != "/large":
        await uvicorn_hello.app(scope, receive, send)
        return
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": LARGE})
