"""Prints to the wrong place."""

import struct

import worker

worker.join()
worker.request()
text = b"Traceback (most recent call last):"
worker.core.sendall(struct.pack(">II", len(text), 0) + text)
worker.receive()
