"""Answers always the same. A test that needs another version of this handler copies it and replaces the answer."""

import json
import os
import socket
import struct

ANSWER = b"one"

core = socket.socket(socket.AF_UNIX)
core.connect(os.environ["HANDOFF_SOCKET"])
stream = core.makefile("rwb")


def send(head, body=b""):
    text = json.dumps(head).encode()
    stream.write(struct.pack(">II", len(text), len(body)) + text + body)
    stream.flush()


send({"type": "hello", "protocol": 1, "concurrency": 4, "token": os.environ.get("HANDOFF_TOKEN"), "pid": os.getpid()})
while prefix := stream.read(8):
    json_bytes, body_bytes = struct.unpack(">II", prefix)
    message = json.loads(stream.read(json_bytes))
    stream.read(body_bytes)
    if message["type"] == "request":
        send({"type": "response", "id": message["id"], "status": 200}, ANSWER)
    elif message["type"] == "ping":
        send({"type": "pong"})
