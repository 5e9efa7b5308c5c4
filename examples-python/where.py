"""Says which machine answers: for several workers behind one port, such as those of docker-compose.yml."""

import socket

from handoff_worker import Request, Response, serve

GREETING = f"hello from Python on {socket.gethostname()}\n"


def where(request: Request) -> Response:
    return Response(GREETING)


serve(where)
