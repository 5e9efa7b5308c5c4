"""Writes far more than a pipe holds before it answers."""

import sys

import worker

worker.join()
while True:
    request = worker.request()
    for i in range(20_000):
        print(f"line {i}, which says nothing that anybody would want to know", file=sys.stderr)
    sys.stderr.flush()
    worker.send(worker.response(request), b"flooded")
