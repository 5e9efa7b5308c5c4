"""Answers every request, on HANDOFF_SOCKET itself, with the name of its pool.

It also tells where it runs and how it was greeted.
"""

import os

import worker

pool = os.environ["HANDOFF_POOL"]
headers = [["greeting", os.environ.get("GREETING", "")], ["folder", os.getcwd()]]

worker.join(pool=pool)
while True:
    worker.send(worker.response(worker.request(), headers=headers), pool.encode() + b"\n")
