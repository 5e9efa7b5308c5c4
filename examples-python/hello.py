"""A whole Handoff worker in plain Python: protocol version 1, nothing to install."""

import json
import os
import random
import socket
import struct
import time
from contextlib import suppress

hello = {"type": "hello", "protocol": 1, "concurrency": int(os.environ.get("HANDOFF_CONCURRENCY") or 64)}
hello |= {"pool": os.environ.get("HANDOFF_POOL"), "token": os.environ.get("HANDOFF_TOKEN"), "pid": os.getpid()}
response = {"type": "response", "status": 200, "headers": [["content-type", "text/plain"]]}
encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
decode = json.JSONDecoder().raw_decode


def frame(head: dict[str, object], body: bytes = b"") -> bytes:
    text = encode(head).encode()
    return struct.pack(">II", len(text), len(body)) + text + body


def serve() -> bool:
    with suppress(OSError), socket.socket(socket.AF_UNIX) as core:
        core.connect(os.environ["HANDOFF_SOCKET"])
        core.sendall(frame(hello))
        unread, left = b"", False
        while not left and (chunk := core.recv(65536)):
            unread, start, responses = unread + chunk, 0, []
            while len(unread) >= start + 8:
                json_bytes, body_bytes = struct.unpack_from(">II", unread, start)
                body, end = start + 8 + json_bytes, start + 8 + json_bytes + body_bytes
                if len(unread) < end:
                    break
                head, start = decode(unread[start + 8 : body].decode())[0], end
                if head["type"] == "request":  # its body is unread[body:end]
                    responses.append(frame({**response, "id": head["id"]}, b"hello\n"))
                elif head["type"] == "ping":
                    responses.append(frame({"type": "pong"}))
                left |= head["type"] in ("drain", "refused")
            unread = unread[start:]
            core.sendall(b"".join(responses))  # one write for one read: the speed
    return "HANDOFF_TOKEN" in os.environ  # the core that started this worker is gone: nothing left to do


while not serve():
    time.sleep(random.uniform(0.1, 1))
