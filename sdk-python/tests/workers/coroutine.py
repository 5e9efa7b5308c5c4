"""A worker of coroutines."""

import asyncio
from pathlib import Path

from deeds import deed
from handoff_worker import Request, Response, serve


async def hold_on(cancels: int) -> None:
    """Goes on after so many cancels."""
    print("waiting")
    try:
        await asyncio.sleep(60)
    finally:
        if cancels:
            await hold_on(cancels - 1)


async def handle(request: Request) -> Response:
    if request.path == "/until":
        print("waiting")
        while not Path(request.query_string).exists():
            await asyncio.sleep(0.01)
    elif request.path == "/hold-on":
        await hold_on(int(request.query_string))
    return Response(deed(request.path))


serve(handle)
