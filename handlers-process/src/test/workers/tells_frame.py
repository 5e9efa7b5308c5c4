"""Answers, on HANDOFF_SOCKET itself, with the JSON of the request's frame.

It also prints the target with whatever is in it.
"""

import json
from urllib.parse import unquote

import worker

worker.join()
while True:
    head = worker.request()
    print(unquote(head["target"]), flush=True)
    worker.send(worker.response(head), json.dumps(head).encode())
