"""Sends all of a large answer but its end, and then no more."""

import signal

import worker

worker.join()
whole = worker.frame(worker.response(worker.request()), b"x" * 8_000_000)
worker.core.sendall(whole[:-250_000])
print("stopped", flush=True)
signal.pause()
