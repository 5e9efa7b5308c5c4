"""Hangs up with a request in hand, and has no ear for TERM."""

import signal
import socket

import worker

signal.signal(signal.SIGTERM, signal.SIG_IGN)
worker.join()
worker.request()
worker.core.shutdown(socket.SHUT_RDWR)
while True:
    signal.pause()
