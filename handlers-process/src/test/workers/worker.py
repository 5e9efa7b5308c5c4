"""The honest part that the workers of tests share: a connection to the core, which the hostile ones misuse.

`handoff run` starts a file as it is only if that names HANDOFF_SOCKET, and leaves any other to the SDK. So each worker that
it is to start as it is says the name.
"""

import json
import os
import socket
import struct
from typing import Any

Head = dict[str, Any]

core = socket.socket(socket.AF_UNIX)
core.connect(os.environ["HANDOFF_SOCKET"])
incoming = core.makefile("rb")


def frame(head: Head, body: bytes = b"") -> bytes:
    text = json.dumps(head).encode()
    return struct.pack(">II", len(text), len(body)) + text + body


def send(head: Head, body: bytes = b"") -> None:
    core.sendall(frame(head, body))


def join(concurrency: int = 1, **more: object) -> None:
    token = os.environ.get("HANDOFF_TOKEN")
    send({"type": "hello", "protocol": 1, "concurrency": concurrency, "token": token} | more)


def receive() -> Head:
    """The next message, without its body; the end of the connection ends the worker."""
    prefix = incoming.read(8)
    if not prefix:
        raise SystemExit
    json_bytes, body_bytes = struct.unpack(">II", prefix)
    head: Head = json.loads(incoming.read(json_bytes))
    incoming.read(body_bytes)
    return head


def request() -> Head:
    """The next request; pings on the way are answered."""
    while True:
        head = receive()
        if head["type"] == "request":
            return head
        if head["type"] == "ping":
            send({"type": "pong"})


def response(request: Head, **more: object) -> Head:
    return {"type": "response", "id": request["id"], "status": 200} | more
