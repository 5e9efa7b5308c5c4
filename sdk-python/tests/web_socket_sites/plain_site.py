"""A coroutine function with WebSockets beside it."""

from handoff_worker import Request, Response, WebSocket, WebSocketClosed, serve

sockets: set[WebSocket] = set()


async def page(request: Request) -> Response:
    return Response("page\n")


async def talk(socket: WebSocket) -> None:
    match socket.request.path:
        case "/fails":
            raise LookupError("as tested")
        case "/closes":
            await socket.close(4003, "bye")
            try:
                await socket.send("too late")
            except WebSocketClosed as closed:
                print(f"closed {closed.code} {closed.reason}")
            return
        case "/large":
            for message in ("ü" * 17 * 1024 * 1024, bytes(33 * 1024 * 1024)):
                try:
                    await socket.send(message)
                except ValueError as error:
                    await socket.send(str(error))
            return
    sockets.add(socket)
    try:
        async for message in socket:
            for each in sockets:
                await each.send(message)
    finally:
        sockets.discard(socket)
        print(f"over {socket.close_code} {socket.close_reason}")


serve(page, websocket=talk, origins=["https://example.org"], subprotocols=["chat.v2", "chat"])
