"""Keeps every request for /held, and answers all others."""

import os

import worker

worker.send(
    {"type": "hello", "protocol": 1, "concurrency": int(os.environ["WINDOW"]), "token": os.environ["HANDOFF_TOKEN"]}
)
held: list[worker.Head] = []
while True:
    head = worker.receive()
    match head["type"]:
        case "request" if head["target"].startswith("/held"):
            held.append(head)
        case "request":
            worker.send(worker.response(head), b"answered")
        case "drain" if not held:
            break
        case "ping":
            worker.send({"type": "pong"})
