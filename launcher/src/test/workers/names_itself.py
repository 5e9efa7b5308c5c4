"""Answers every request with the name of its pool, and tells where it runs and how it was greeted."""

import json
import os
import socket
import struct

core = socket.socket(socket.AF_UNIX)
core.connect(os.environ["HANDOFF_SOCKET"])
stream = core.makefile("rwb")
pool, token = os.environ["HANDOFF_POOL"], os.environ["HANDOFF_TOKEN"]
headers = [["greeting", os.environ.get("GREETING", "")], ["folder", os.getcwd()]]


def send(head: dict[str, object], body: bytes = b"") -> None:
    text = json.dumps(head).encode()
    stream.write(struct.pack(">II", len(text), len(body)) + text + body)
    stream.flush()


send({"type": "hello", "protocol": 1, "concurrency": 1, "pool": pool, "token": token})
while prefix := stream.read(8):
    json_bytes, body_bytes = struct.unpack(">II", prefix)
    head = json.loads(stream.read(json_bytes))
    stream.read(body_bytes)
    if head["type"] == "request":
        send({"type": "response", "id": head["id"], "status": 200, "headers": headers}, pool.encode() + b"\n")
    elif head["type"] == "ping":
        send({"type": "pong"})
