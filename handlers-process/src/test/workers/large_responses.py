"""Answers /N with N bytes, on HANDOFF_SOCKET itself, since the SDK would take its time for them."""

import worker

worker.join(4)
while True:
    head = worker.request()
    worker.send(worker.response(head), b"x" * int(head["target"][1:]))
