"""Like examples-python/hello.py, but for `/large`, which answers with more than a slow reader ever takes."""

import json
import os
import socket
import struct
from typing import Any

LARGE = b"x" * (256 * 1024)


def frame(head: dict[str, Any], body: bytes = b"") -> bytes:
    text = json.dumps(head).encode()
    return struct.pack(">II", len(text), len(body)) + text + body


def answer(request: dict[str, Any]) -> bytes:
    body = LARGE if request["target"] == "/large" else b"hello\n"
    headers = [["content-type", "text/plain"]]
    return frame({"type": "response", "id": request["id"], "status": 200, "headers": headers}, body)


with socket.socket(socket.AF_UNIX) as core:
    core.connect(os.environ["HANDOFF_SOCKET"])
    stream = core.makefile("rb")
    hello = {"type": "hello", "protocol": 1, "concurrency": 64, "token": os.environ["HANDOFF_TOKEN"]}
    core.sendall(frame({**hello, "pid": os.getpid()}))
    while prefix := stream.read(8):
        json_bytes, body_bytes = struct.unpack(">II", prefix)
        head = json.loads(stream.read(json_bytes))
        stream.read(body_bytes)
        if head["type"] == "request":
            core.sendall(answer(head))
        elif head["type"] == "ping":
            core.sendall(frame({"type": "pong"}))
        elif head["type"] == "drain":
            break
