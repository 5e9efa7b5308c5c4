"""Starts a server and nginx in front of it, as one tree of processes: behind_nginx.py NGINX CONFIGURATION PORT SERVER..."""

import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress

nginx, configuration, port, *server = sys.argv[1:]
started = [subprocess.Popen(server)]


def stop(number: int, frame: object) -> None:
    for process in started:
        process.terminate()


signal.signal(signal.SIGTERM, stop)
while started[0].poll() is None and len(started) == 1:
    with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", int(port))):
        started.append(subprocess.Popen([nginx, "-c", configuration]))
    time.sleep(0.05)
for process in started:
    process.wait()
