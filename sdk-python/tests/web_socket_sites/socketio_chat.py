"""A chat as python-socketio's documentation has it."""

import socketio

sio = socketio.AsyncServer(async_mode="asgi", cors_allowed_origins="*")
app = socketio.ASGIApp(sio)


@sio.event
async def connect(sid, environ):
    await sio.enter_room(sid, "chat users")


@sio.on("chat message")
async def chat_message(sid, data):
    await sio.emit("chat message", data, room="chat users")
