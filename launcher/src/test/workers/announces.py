"""Says what it does, so that a test can wait for it: its socket when it starts, each target when it takes a request.

One request at a time; the answer comes after the `delay=MILLIS` of its target, or, where that ends with `?held`, when the
worker is sent USR1.
"""

import json
import os
import signal
import socket
import struct
import sys
import time
from urllib.parse import parse_qs

core = socket.socket(socket.AF_UNIX)
core.connect(os.environ["HANDOFF_SOCKET"])
stream = core.makefile("rwb")


def send(head, body=b""):
    text = json.dumps(head).encode()
    stream.write(struct.pack(">II", len(text), len(body)) + text + body)
    stream.flush()


signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
print("pid " + str(os.getpid()))
print("socket " + os.environ["HANDOFF_SOCKET"])
print("arguments " + " ".join(sys.argv[1:]), file=sys.stderr)
pool, token = os.environ.get("HANDOFF_POOL", "default"), os.environ.get("HANDOFF_TOKEN")
send({"type": "hello", "protocol": 1, "concurrency": 1, "pool": pool, "token": token, "pid": os.getpid()})
while prefix := stream.read(8):
    json_bytes, body_bytes = struct.unpack(">II", prefix)
    message = json.loads(stream.read(json_bytes))
    stream.read(body_bytes)
    if message["type"] == "request":
        print("took " + message["target"])
        if message["target"].endswith("?held"):
            signal.sigwait({signal.SIGUSR1})
        query = parse_qs(message["target"].partition("?")[2])
        time.sleep(int(query.get("delay", ["0"])[0]) / 1000)
        send({"type": "response", "id": message["id"], "status": 200}, b"done\n")
    elif message["type"] == "ping":
        send({"type": "pong"})
    elif message["type"] == "drain":
        break
