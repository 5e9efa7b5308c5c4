"""Writes down every request, keeps the first that anybody was given, and answers all others."""

import os
import signal
import sys

import worker

TAKEN, RECORDS = sys.argv[1:]


def is_first() -> bool:
    try:
        os.close(os.open(TAKEN, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


worker.join()
while True:
    request = worker.request()
    with open(RECORDS, "a") as records:
        records.write(f"{request['method']} {request['target']}\n")
    if is_first():
        print("has it in hand", flush=True)
        signal.pause()
    worker.send(worker.response(request), b"done")
