"""A handler whose requests end when their clients leave: some wait for a response, some get one that stops after its first piece."""

import asyncio
from collections.abc import AsyncIterator

from handoff_worker import Request, Response, WebSocket, serve


async def answer(request: Request) -> Response:
    if request.path == "/wait":
        await asyncio.Event().wait()
    if request.path == "/stream":
        return Response(first_piece())
    return Response("hello\n")


async def first_piece() -> AsyncIterator[bytes]:
    yield b"begun\n"
    await asyncio.Event().wait()


async def silent(socket: WebSocket) -> None:
    async for _ in socket:
        pass


serve(answer, websocket=silent)
