"""A clock by server-sent events, and the page that shows it: the worker protocol without the SDK, nothing to install."""

import json
import os
import select
import socket
import struct
import time
from typing import Any

PAGE = b"""<!doctype html><meta charset="utf-8"><title>Clock</title><h1>connecting</h1>
<script>new EventSource("/clock").onmessage = event => document.querySelector("h1").textContent = event.data</script>
"""
HTML = [["content-type", "text/html; charset=utf-8"]]
EVENTS = [["content-type", "text/event-stream"], ["cache-control", "no-store"]]

core = socket.socket(socket.AF_UNIX)
core.connect(os.environ["HANDOFF_SOCKET"])
clocks: dict[int, int] = {}  # by id, with the bytes that each may still send
core_takes: dict[str, Any] = {}  # what welcome says


def send(head: dict[str, object], body: bytes = b"") -> None:
    if head["type"] == "response" and len(body) > core_takes["limits"]["bodyBytes"]:
        head, body = {"type": "failure", "id": head["id"], "message": "the page is too large"}, b""
    text = json.dumps(head).encode()
    core.sendall(struct.pack(">II", len(text), len(body)) + text + body)


def take(type: str, id: int = 0, target: str = "", bytes: int = 0, **others: object) -> None:
    if type == "welcome":
        core_takes.update(others)
    elif type == "request" and target == "/clock" and "streams" in core_takes.get("features", []):
        send({"type": "response", "id": id, "status": 200, "headers": EVENTS, "more": True})
        clocks[id] = 65536  # what the core grants at the start
    elif type == "request":
        send({"type": "response", "id": id, "status": 200 if target == "/" else 404, "headers": HTML}, PAGE)
    elif type == "credit" and id in clocks:
        clocks[id] += bytes
    elif type == "cancel" and clocks.pop(id, None) is not None:
        send({"type": "data", "id": id})  # the last piece: the client has left
    elif type == "drain":
        while clocks:  # browsers connect again, and find another worker
            send({"type": "data", "id": clocks.popitem()[0]})
    elif type == "ping":
        send({"type": "pong"})


hello = {"type": "hello", "protocol": 1, "concurrency": 16, "features": ["streams"], "streams": 1000}
send(hello | {"pool": os.environ.get("HANDOFF_POOL"), "token": os.environ.get("HANDOFF_TOKEN"), "pid": os.getpid()})
unread, tick, chunk = b"", time.monotonic() + 1, b"begin"
while chunk:  # until the core is gone, or needs this worker no more
    if select.select([core], [], [], max(0.0, tick - time.monotonic()))[0]:
        unread += (chunk := core.recv(65536))
    while len(unread) >= 8 and len(unread) >= (end := 8 + sum(struct.unpack_from(">II", unread))):
        take(**json.loads(unread[8 : 8 + int.from_bytes(unread[:4], "big")]))
        unread = unread[end:]
    if time.monotonic() >= tick:
        tick, event = tick + 1, f"data: {time.strftime('%H:%M:%S')}\n\n".encode()
        for id in [id for id, credit in clocks.items() if credit > 0]:  # a client that doesn't read misses the time
            clocks[id] -= len(event)
            send({"type": "data", "id": id, "more": True}, event)
