"""Starts nginx and the server behind it, as one tree of processes: behind_nginx.py NGINX CONFIGURATION SERVER..."""

import signal
import subprocess
import sys

nginx, configuration, *server = sys.argv[1:]
started = [subprocess.Popen(command) for command in ([nginx, "-c", configuration], server)]


def stop(number: int, frame: object) -> None:
    for process in started:
        process.terminate()


signal.signal(signal.SIGTERM, stop)
for process in started:
    process.wait()
