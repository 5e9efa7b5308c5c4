"""Sends half an answer and keeps the rest."""

import signal

import worker

worker.join()
whole = worker.frame(worker.response(worker.request()), b"half of it")
worker.core.sendall(whole[:-5])
print("deaf", flush=True)
signal.pause()
