"""A worker that answers with the JSON of the request's frame, and prints the target with whatever is in it."""

import json
import os
import socket
import struct
from urllib.parse import unquote

connection = socket.socket(socket.AF_UNIX)
connection.connect(os.environ["HANDOFF_SOCKET"])
stream = connection.makefile("rwb")


def send(head, body=b""):
    text = json.dumps(head).encode()
    stream.write(struct.pack(">II", len(text), len(body)) + text + body)
    stream.flush()


send({"type": "hello", "protocol": 1, "concurrency": 1, "token": os.environ.get("HANDOFF_TOKEN")})
while prefix := stream.read(8):
    json_bytes, body_bytes = struct.unpack(">II", prefix)
    head = json.loads(stream.read(json_bytes))
    stream.read(body_bytes)
    if head["type"] == "request":
        print(unquote(head["target"]), flush=True)
        send({"type": "response", "id": head["id"], "status": 200}, json.dumps(head).encode())
    elif head["type"] == "ping":
        send({"type": "pong"})
