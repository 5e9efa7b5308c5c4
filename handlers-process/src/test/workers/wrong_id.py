"""Answers a request that it was never given."""

import worker

worker.join()
while True:
    worker.send(worker.response({"id": worker.request()["id"] + 1}), b"wrong")
