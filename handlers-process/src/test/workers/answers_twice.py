"""Answers each request, and then again."""

import worker

worker.join()
while True:
    request = worker.request()
    worker.core.sendall(
        worker.frame(worker.response(request), b"once") + worker.frame(worker.response(request), b"twice")
    )
