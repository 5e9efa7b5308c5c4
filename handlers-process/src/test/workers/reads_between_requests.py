"""Handles its first request until it gets USR1, and reads nothing meanwhile, as plain blocking code does; then the others at once."""

import signal

import worker

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
worker.join()
request = worker.request()
print("handling", flush=True)
signal.sigwait({signal.SIGUSR1})
while True:
    worker.send(worker.response(request), b"handled")
    request = worker.request()
