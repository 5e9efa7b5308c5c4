"""A chat by WebSockets, and its page: the worker protocol without the SDK, nothing to install."""

import json
import os
import socket
import struct
from typing import Any

PAGE = b"""<!doctype html><meta charset="utf-8"><title>Chat</title>
<form><input autofocus autocomplete="off"></form><ul></ul>
<script>
const socket = new WebSocket(`${location.protocol.replace("http", "ws")}//${location.host}/chat`), form = document.forms[0]
socket.onopen = () => { document.title = "Chat, open" }
socket.onclose = ({ code }) => { document.title = `Chat, closed with ${code}` }
socket.onmessage = ({ data }) => document.querySelector("ul").append(
    Object.assign(document.createElement("li"), { textContent: data }))
form.onsubmit = () => { socket.send(form[0].value); form.reset(); return false }
</script>
"""
HTML = [["content-type", "text/html; charset=utf-8"]]

core = socket.socket(socket.AF_UNIX)
core.connect(os.environ["HANDOFF_SOCKET"])
frames = core.makefile("rb")
credits: dict[int, int] = {}  # by id, with the bytes that may still be sent to each
core_takes: dict[str, Any] = {}  # what welcome says


def send(head: dict[str, object], body: bytes = b"") -> None:
    if head["type"] == "response" and len(body) > core_takes["limits"]["bodyBytes"]:
        head, body = {"type": "failure", "id": head["id"], "message": "the page is too large"}, b""
    text = json.dumps(head).encode()
    core.sendall(struct.pack(">II", len(text), len(body)) + text + body)


def take(body: bytes, type: str, id: int = 0, target: str = "", bytes: int = 0, **others: object) -> None:
    if type == "welcome":
        core_takes.update(others)
    elif type == "request" and target == "/chat" and "websocket" in others:
        send({"type": "response", "id": id, "status": 101, "more": True})
        credits[id] = 65536  # what the core grants at the start
    elif type == "request":
        send({"type": "response", "id": id, "status": 200 if target == "/" else 404, "headers": HTML}, PAGE)
    elif type == "message":
        for each in [each for each, credit in credits.items() if credit > 0]:  # who doesn't read misses messages
            credits[each] -= len(body) + 64
            send({"type": "message", "id": each, "text": True}, body)
    elif type == "credit" and id in credits:
        credits[id] += bytes
    elif type == "close" and credits.pop(id, None) is not None:
        send({"type": "close", "id": id})  # the client has left, or this worker has to
    elif type == "ping":
        send({"type": "pong"})


hello = {"type": "hello", "protocol": 1, "concurrency": 16, "features": ["websockets"], "streams": 1000}
send(hello | {"pool": os.environ.get("HANDOFF_POOL"), "token": os.environ.get("HANDOFF_TOKEN"), "pid": os.getpid()})
while prefix := frames.read(8):  # until the core is gone, or needs this worker no more
    json_bytes, body_bytes = struct.unpack(">II", prefix)
    head = json.loads(frames.read(json_bytes))
    take(frames.read(body_bytes), **head)
