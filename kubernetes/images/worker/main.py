"""Answers with its version and its pod, after as long as it is told; /crash ends the process, and version 3 never starts."""

import os
import socket
import sys
import time

from handoff_worker import Request, Response, serve

VERSION = os.environ["VERSION"]
BROKEN = "3"


def answer(request: Request) -> Response:
    if request.path == "/crash":
        os._exit(1)
    time.sleep(float(request.query.get("seconds", "0.02")))
    return Response(f"{VERSION} {socket.gethostname()}\n")


if VERSION == BROKEN:
    sys.exit("this version does not start")
serve(answer, threads=4)
