"""Answers every request, on HANDOFF_SOCKET itself, with its scheme, its prefix and its target."""

import os

import worker

worker.join(pool=os.environ["HANDOFF_POOL"])
while True:
    request = worker.request()
    place = [request.get("scheme", "http"), request.get("prefix", ""), request["target"]]
    worker.send(worker.response(request), " ".join(place).encode())
