"""A coroutine that answers after a second. second.mjs is its twin."""

import asyncio

from handoff_worker import Request, Response, serve


async def answer(request: Request) -> Response:
    await asyncio.sleep(1)
    return Response("hello\n")


serve(answer)
