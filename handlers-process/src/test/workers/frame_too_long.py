"""Declares a body of four gigabytes."""

import struct

import worker

worker.join()
worker.request()
worker.core.sendall(struct.pack(">II", 2, 0xFFFFFFFF) + b"{}")
worker.receive()
