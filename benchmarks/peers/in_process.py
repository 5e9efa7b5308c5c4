"""
Serves requests of a played core in this process, without a socket: what `instructions.py` counts.

    in_process.py KIND BATCHES REQUESTS NAME VALUE …

`KIND`: asgi, wsgi or plain. `BATCHES`: how often so many `REQUESTS` come at once. Then their header fields beside Host.
"""

import asyncio
import json
import socket
import sys
from pathlib import Path
from struct import Struct
from typing import Any, cast

import handoff_worker
from handoff_worker.asgi.application import AsgiApplication
from handoff_worker.asgi.interface import AsgiApp
from handoff_worker.engine.asyncio_engine import AsyncEngine
from handoff_worker.engine.blocking_engine import BlockingEngine
from handoff_worker.plain.function import BlockingFunction
from handoff_worker.wsgi.application import WsgiApplication

sys.path.insert(0, str(Path(__file__).parent))
from uvicorn_hello import app as asgi_app
from wsgi_hello import app as wsgi_app

try:
    from uvloop import new_event_loop  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    from asyncio import new_event_loop

THREADS = 8
LEAST_ANSWER_BYTES = 50
_lengths = Struct(">II")

WELCOME = {
    "type": "welcome",
    "protocol": 1,
    "worker": "in-process",
    "limits": {"jsonBytes": 1 << 20, "bodyBytes": 1 << 25, "streamBytes": 1 << 16},
    "server": "played",
    "features": ["streams"],
}


def frame(head: dict[str, Any]) -> bytes:
    text = json.dumps(head, separators=(",", ":")).encode()
    return _lengths.pack(len(text), 0) + text


def batch(count: int, fields: list[tuple[str, str]]) -> bytes:
    """So many requests, as the core writes them."""
    heads = (
        {
            "type": "request",
            "id": id,
            "timeoutMillis": 30000,
            "method": "GET",
            "target": "/",
            "version": "1.1",
            "headers": [("host", "127.0.0.1:8080"), *fields],
            "client": f"127.0.0.1:{40000 + id}",
            "requestId": f"{id:032x}",
        }
        for id in range(1, count + 1)
    )
    return b"".join(map(frame, heads))


class Taken:
    """Stands for the transport: counts what the worker sends."""

    def __init__(self) -> None:
        self.bytes = 0

    def write(self, content: bytes) -> None:
        self.bytes += len(content)

    def get_write_buffer_size(self) -> int:
        return 0


class PlayedSocket:
    """Stands for the core's socket: gives the welcome, then the batches, then the end."""

    def __init__(self, requests: bytes, batches: int) -> None:
        self._given = iter([frame(WELCOME), *[requests] * batches])
        self.bytes = 0

    def recv(self, size: int, flags: int = 0) -> bytes:
        return next(self._given, b"")

    def sendall(self, content: bytes) -> None:
        self.bytes += len(content)

    def settimeout(self, seconds: float | None) -> None:
        pass

    def setsockopt(self, *option: object) -> None:
        pass

    def shutdown(self, how: int) -> None:
        pass


async def serve_asgi(requests: bytes, batches: int) -> int:
    application = AsgiApplication(cast(AsgiApp, asgi_app), "hello")
    await application.start()
    engine = AsyncEngine(application, concurrency=1000)
    taken = Taken()
    engine.connection_made(cast(asyncio.Transport, taken))
    engine.data_received(frame(WELCOME))
    for _ in range(batches):
        engine.data_received(requests)
        for _ in range(2):  # one turn of the loop for the tasks, and one for the flush
            await asyncio.sleep(0)
    return taken.bytes


def serve_blocking(application: WsgiApplication | BlockingFunction, requests: bytes, batches: int) -> int:
    core = PlayedSocket(requests, batches)
    engine = BlockingEngine(cast(socket.socket, core), application, None, THREADS)
    assert engine.greet(b""), "welcomed"
    engine._lead()
    return core.bytes


def main(kind: str, batches: int, at_once: int, fields: list[tuple[str, str]]) -> None:
    """Raises `AssertionError` where not all is answered."""
    requests = batch(at_once, fields)
    if kind == "asgi":
        sent = new_event_loop().run_until_complete(serve_asgi(requests, batches))
    elif kind == "wsgi":
        sent = serve_blocking(WsgiApplication(wsgi_app, "hello", multithread=True), requests, batches)
    else:
        sent = serve_blocking(BlockingFunction(lambda request: handoff_worker.Response("hello\n")), requests, batches)
    assert sent >= batches * at_once * LEAST_ANSWER_BYTES, f"{sent} bytes are no {batches} batches of responses"


if __name__ == "__main__":
    fields = sys.argv[4:]
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), list(zip(fields[::2], fields[1::2], strict=True)))
