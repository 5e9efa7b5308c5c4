"""Hangs up with a request in hand, but does not end."""

import signal
import socket

import worker

worker.join()
worker.request()
worker.core.shutdown(socket.SHUT_RDWR)
signal.pause()
