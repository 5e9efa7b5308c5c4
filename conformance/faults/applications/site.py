"""The application of the faults, as ASGI: content made from a key, the checksum of an upload, a small response. site.mjs is its twin."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from hashlib import sha256, shake_256
from typing import Any
from urllib.parse import parse_qs

BLOCK_BYTES = 65_521
"""As in content.py, which says what the content is."""
BROKEN = os.environ.get("FAULTS_BROKEN", "")

Send = Callable[[dict[str, Any]], Awaitable[None]]


async def pieces(key: str, length: int, piece: int) -> AsyncIterator[bytes]:
    """The content and its checksum. `FAULTS_BROKEN=short` ends it too early as if it were whole, `foreign` takes another key."""
    block = shake_256((f"not {key}" if BROKEN == "foreign" else key).encode()).digest(BLOCK_BYTES) * 2
    digest = sha256()
    for begin in range(0, length, piece):
        offset = begin % BLOCK_BYTES
        part = block[offset : offset + min(piece, length - begin)]
        digest.update(part)
        yield part
        if BROKEN == "short" and begin > length // 2:
            break
    yield digest.hexdigest().encode()


async def app(scope: dict[str, Any], receive: Callable[[], Awaitable[dict[str, Any]]], send: Send) -> None:
    if scope["type"] == "lifespan":
        while (event := await receive())["type"] != "lifespan.shutdown":
            await send({"type": f"{event['type']}.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (event := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "bytes": event["bytes"]})
        return
    asked = {name: values[0] for name, values in parse_qs(scope["query_string"].decode()).items()}
    if scope["method"] == "POST":
        digest, size, more = sha256(), 0, True
        while more:
            event = await receive()
            if event["type"] == "http.disconnect":
                return
            digest.update(event.get("body", b""))
            size += len(event.get("body", b""))
            more = event.get("more_body", False)
        await whole(send, f"{asked['key']} {size} {digest.hexdigest()}".encode())
    elif "length" not in asked:
        await whole(send, asked["key"].encode())
    else:
        await stream(
            send, asked["key"], int(asked["length"]), int(asked["piece"]), int(asked["pause"]), asked["framing"]
        )


async def whole(send: Send, body: bytes) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


async def stream(send: Send, key: str, length: int, piece: int, pause: int, framing: str) -> None:
    headers = [(b"content-length", b"%d" % (length + 64))] if framing == "length" else []
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    async for part in pieces(key, length, piece):
        await send({"type": "http.response.body", "body": part, "more_body": True})
        if pause:
            await asyncio.sleep(pause / 1000)
    await send({"type": "http.response.body", "body": b""})
