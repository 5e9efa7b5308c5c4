"""Keeps every request for /held, and answers all others."""

import os

import worker

worker.join(int(os.environ["WINDOW"]))
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
