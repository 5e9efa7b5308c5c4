"""A raw worker that accepts every WebSocket and sends each message back. Needs nothing but Python."""

import json
import os
import socket
import struct

connection = socket.socket(socket.AF_UNIX)
connection.connect(os.environ["HANDOFF_SOCKET"])
frames = connection.makefile("rwb")


def send(head: dict[str, object], body: bytes = b"") -> None:
    text = json.dumps(head).encode()
    frames.write(struct.pack(">II", len(text), len(body)) + text + body)
    frames.flush()


send(
    {
        "type": "hello",
        "protocol": 1,
        "concurrency": 100,
        "streams": 10000,
        "features": ["websockets"],
        "pool": os.environ.get("HANDOFF_POOL"),
        "token": os.environ.get("HANDOFF_TOKEN"),
    }
)
while prefix := frames.read(8):
    sizes = struct.unpack(">II", prefix)
    head, body = json.loads(frames.read(sizes[0])), frames.read(sizes[1])
    match head:
        case {"type": "request", "websocket": list()}:
            send({"type": "response", "id": head["id"], "status": 101, "more": True})
        case {"type": "request"}:
            send({"type": "response", "id": head["id"], "status": 426, "headers": [["content-type", "text/plain"]]})
        case {"type": "message"}:
            send({"type": "message", "id": head["id"], "text": head.get("text", False)}, body)
        case {"type": "close"}:
            send({"type": "close", "id": head["id"]})
        case {"type": "ping"}:
            send({"type": "pong"})
