"""A handler that tells what reached it, as JSON, and keeps the request lines in the file that ECHO_SEEN names.

/large           a megabyte
/late            no answer before its time is over

A WebSocket gets each message back, behind the address of its client.
"""

import asyncio
import hashlib
import os

from handoff_worker import Request, Response, WebSocket, serve

SEEN = os.open(os.environ["ECHO_SEEN"], os.O_CREAT | os.O_APPEND | os.O_WRONLY)


async def echo(request: Request) -> Response:
    os.write(SEEN, f"{request.method} {request.target}\n".encode())
    if request.path == "/large":
        return Response(b"x" * 2**20)
    if request.path == "/late":
        await asyncio.Event().wait()
    return Response.json(
        {
            "method": request.method,
            "target": request.target,
            "client": request.client.rpartition(":")[0],
            "fields": {name: request.headers.all(name) for name in request.headers},
            "body": hashlib.sha256(request.body).hexdigest(),
        }
    )


async def talk(socket: WebSocket) -> None:
    client = socket.request.client.rpartition(":")[0]
    async for message in socket:
        await socket.send(f"{client} {message!s}")


serve(echo, websocket=talk)
