"""A worker of coroutines."""

import asyncio
from pathlib import Path

from deeds import deed
from handoff import Request, Response, serve


async def handle(request: Request) -> Response:
    if request.path == "/until":
        print("waiting")
        while not Path(request.query_string).exists():
            await asyncio.sleep(0.01)
    return Response(deed(request.path))


serve(handle)
