"""Takes a request and thinks about it for ever."""

import signal

import worker

worker.join()
worker.request()
print("deaf", flush=True)
signal.pause()
