"""What an ASGI application can do with a WebSocket, each at a path of its own."""

import asyncio

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect


async def echo(socket: WebSocket):
    await socket.accept(
        subprotocol="chat" if "chat" in socket.scope["subprotocols"] else None, headers=[(b"x-a", b"1")]
    )
    try:
        while True:
            match await socket.receive():
                case {"text": str(text)}:
                    await socket.send_text(text)
                case {"bytes": bytes(content)}:
                    await socket.send_bytes(content)
                case {"type": "websocket.disconnect", "code": code, "reason": reason}:
                    print(f"disconnected {code} {reason}")
                    return
    except WebSocketDisconnect as gone:
        print(f"gone {gone.code}")


async def refuse(socket: WebSocket):
    await socket.close()


async def deny(socket: WebSocket):
    await socket.send_denial_response(PlainTextResponse("not today", 451))


async def close(socket: WebSocket):
    await socket.accept()
    await socket.close(4002, "enough")


async def fail(socket: WebSocket):
    await socket.accept()
    raise LookupError("as tested")


async def large(socket: WebSocket):
    await socket.accept()
    await socket.send_bytes(bytes(33 * 1024 * 1024))


async def returns(socket: WebSocket):
    await socket.accept()


async def flood(socket: WebSocket):
    """Sends more than any client that does not read can take, and says when it notices that it is gone."""
    await socket.accept()
    try:
        while True:
            await socket.send_bytes(bytes(64 * 1024))
    except WebSocketDisconnect:
        print("flood ended")


members: set[WebSocket] = set()
sending: set[asyncio.Task[None]] = set()


async def room(socket: WebSocket):
    await socket.accept()
    members.add(socket)
    try:
        await socket.receive()
    finally:
        members.discard(socket)


async def broadcast(request):
    """Begins to send each member of the room ten messages of a mebibyte."""
    for member in members:
        sending.update(asyncio.create_task(member.send_bytes(bytes([i]) * 1024 * 1024)) for i in range(10))
    return PlainTextResponse(f"{len(members)} members")


async def pieces(request):
    async def content():
        for _ in range(50):
            yield bytes(20_000)

    return StreamingResponse(content())


SITES = (echo, refuse, deny, close, fail, large, returns, flood, room)
PAGES = (broadcast, pieces)
app = Starlette(
    routes=[WebSocketRoute(f"/{each.__name__}", each) for each in SITES]
    + [Route(f"/{each.__name__}", each) for each in PAGES]
)
