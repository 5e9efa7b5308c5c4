"""A worker that blocks."""

import time
from pathlib import Path

from deeds import deed
from handoff_worker import Request, Response, serve


def handle(request: Request) -> Response:
    if request.path == "/until":
        print("waiting")
        while not Path(request.query_string).exists():
            time.sleep(0.01)
    return Response(deed(request.path))


serve(handle)
