"""A Handoff worker that sends back what it got, in plain Python with asyncio.

The body and its content-type come back as they are; method, target and headers come back as response headers. In the
target's query, `delay=MILLIS` delays this response (and no other), `status=NNN` chooses its status.
"""

import asyncio
import json
import os
import random
import signal
import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

Head = dict[str, Any]  # the JSON of a frame

env = os.environ.get
hello: Head = {"type": "hello", "protocol": 1, "concurrency": int(env("HANDOFF_CONCURRENCY") or 64)}
hello |= {"pool": env("HANDOFF_POOL", "default"), "token": env("HANDOFF_TOKEN"), "name": "echo.py", "pid": os.getpid()}
leaving = asyncio.Event()  # one of the two has said drain


def frame(head: Head, body: bytes = b"") -> bytes:
    text = json.dumps(head).encode()
    return struct.pack(">II", len(text), len(body)) + text + body


def take_frames(buffer: bytearray) -> Iterator[tuple[Head, bytes]]:
    while len(buffer) >= 8:
        json_bytes, body_bytes = struct.unpack_from(">II", buffer)
        start, end = 8 + json_bytes, 8 + json_bytes + body_bytes
        if len(buffer) < end:
            break
        yield json.loads(buffer[8:start]), bytes(buffer[start:end])
        del buffer[:end]


def echo(request: Head, body: bytes) -> tuple[float, bytes]:
    """How many seconds the response shall wait, and its frame."""
    query = parse_qs(request["target"].partition("?")[2])
    headers = [pair for pair in request["headers"] if pair[0] == "content-type"]
    headers += [["Echo-Method", request["method"]], ["Echo-Target", request["target"]]]
    headers += [["Echo-Headers", json.dumps(request["headers"])]]  # dumps escapes what is not ASCII
    status = int(query.get("status", ["200"])[0])
    response = {"type": "response", "id": request["id"], "status": status, "headers": headers}
    return float(query.get("delay", ["0"])[0]) / 1000, frame(response, body)


class Connection:
    """One connection to the core, from hello until one of the two hangs up."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.delayed: dict[int, bytes] = {}  # responses that wait, by the id of their request
        self.drained = False
        self.limits = {"jsonBytes": 0, "bodyBytes": 0}  # the largest frame that the core takes

    async def serve(self) -> None:
        self.writer.write(frame(hello))
        buffer = bytearray()
        while chunk := await self.reader.read(65536):
            buffer += chunk
            self.writer.write(b"".join([self.take(head, body) for head, body in take_frames(buffer)]))
            await self.writer.drain()
            if self.drained and not self.delayed:
                break
        self.writer.close()

    def take(self, head: Head, body: bytes) -> bytes:
        """The frame to send at once."""
        match head["type"]:
            case "welcome":
                self.limits = head["limits"]
            case "request":
                return self.take_request(head, body)
            case "cancel":
                self.send_delayed(head["id"])  # now: nobody waits for the response, but for its place in the window
            case "ping":
                return frame({"type": "pong"})
            case "drain":
                self.drained = True
                leaving.set()
            case "refused":
                print("refused:", head["message"], flush=True)  # the core hangs up now
        return b""

    def take_request(self, request: Head, body: bytes) -> bytes:
        try:
            seconds, response = echo(request, body)
            json_bytes, body_bytes = struct.unpack_from(">II", response)
            if json_bytes > self.limits["jsonBytes"] or body_bytes > self.limits["bodyBytes"]:
                raise ValueError(f"a response of {json_bytes} + {body_bytes} bytes, where the core takes {self.limits}")
        except ValueError as error:
            return frame({"type": "failure", "id": request["id"], "message": str(error)})
        if seconds == 0:
            return response
        self.delayed[request["id"]] = response
        asyncio.get_running_loop().call_later(seconds, self.send_delayed, request["id"])
        return b""

    def send_delayed(self, request_id: int) -> None:
        self.writer.write(self.delayed.pop(request_id, b""))
        if self.drained and not self.delayed:
            self.writer.close()

    def leave(self) -> None:
        """Asks for no more requests; the core hangs up after the last response."""
        self.writer.write(frame({"type": "drain"}))
        leaving.set()


async def main() -> None:
    while True:
        with suppress(OSError):
            connection = Connection(*await asyncio.open_unix_connection(os.environ["HANDOFF_SOCKET"]))
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, connection.leave)
            await connection.serve()
        if leaving.is_set() or env("HANDOFF_TOKEN"):  # a worker that the core started leaves with it
            break
        await asyncio.sleep(random.uniform(0.1, 1))


asyncio.run(main())
if env("HANDOFF_TOKEN") and not leaving.is_set():
    raise SystemExit(1)  # refused, or the core is gone
