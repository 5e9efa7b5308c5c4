"""Connects, and then nothing; does not care that it is turned away."""

import signal

import worker

print("connected to", worker.core.getpeername(), flush=True)
signal.pause()
