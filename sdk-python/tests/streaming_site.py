"""The same three responses in each framework: one whose second part waits, one of 50 MB, one that fails half way."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import django
import flask
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, StreamingHttpResponse
from django.urls import path
from fastapi import FastAPI
from fastapi.responses import FileResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from handoff_worker import Request as PlainRequest
from handoff_worker import Response as PlainResponse
from handoff_worker import events
from starlette.responses import Response, StreamingResponse

CHUNK = bytes(range(256)) * 256
CHUNKS = 800
"""52 MB, which is more than the core takes in one frame."""


def waits() -> Iterator[bytes]:
    try:
        yield b"data: one\n\n"
        while not Path("go").exists():
            time.sleep(0.01)
        yield b"data: two\n\n"
        while not Path("end").exists():
            yield b"data: more\n\n"
            time.sleep(0.01)
    finally:
        Path("closed").touch()


async def waits_later() -> AsyncIterator[bytes]:
    try:
        yield b"data: one\n\n"
        while not Path("go").exists():
            await asyncio.sleep(0.01)
        yield b"data: two\n\n"
        while not Path("end").exists():
            await asyncio.sleep(0.01)
    finally:
        Path("closed").touch()


def large() -> Iterator[bytes]:
    for _ in range(CHUNKS):
        yield CHUNK


async def large_later() -> AsyncIterator[bytes]:
    for chunk in large():
        yield chunk


def fails() -> Iterator[bytes]:
    yield b"begun"
    time.sleep(0.1)
    raise LookupError("half way")


async def fails_later() -> AsyncIterator[bytes]:
    yield b"begun"
    await asyncio.sleep(0.1)
    raise LookupError("half way")


EVENTS = "text/event-stream"

flask_app = flask.Flask(__name__)
flask_app.add_url_rule("/waits", "waits", lambda: flask.Response(waits(), mimetype=EVENTS))
flask_app.add_url_rule("/large", "large", lambda: flask.Response(large()))
flask_app.add_url_rule("/fails", "fails", lambda: flask.Response(fails()))

fastapi_app = FastAPI()


@fastapi_app.get("/waits")
async def fastapi_waits() -> Response:
    return StreamingResponse(waits_later(), media_type=EVENTS)


@fastapi_app.get("/large")
def fastapi_large() -> Response:
    return StreamingResponse(large())


@fastapi_app.get("/fails")
async def fastapi_fails() -> Response:
    return StreamingResponse(fails_later())


@fastapi_app.get("/file")
def fastapi_file() -> Response:
    return FileResponse("file")


@fastapi_app.get("/events", response_class=EventSourceResponse)
async def fastapi_events() -> AsyncIterator[ServerSentEvent]:
    yield ServerSentEvent(data="one", id="1")
    while not Path("go").exists():
        await asyncio.sleep(0.01)
    yield ServerSentEvent(data="two", event="tick")


async def django_waits(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(waits_later(), content_type=EVENTS)


async def django_large(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(large_later())


async def django_fails(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(fails_later())


settings.configure(SECRET_KEY="of the tests", ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, LOGGING_CONFIG=None)
django.setup()
urlpatterns = [
    path("waits", lambda request: StreamingHttpResponse(waits(), content_type=EVENTS)),
    path("large", lambda request: StreamingHttpResponse(large())),
    path("fails", lambda request: StreamingHttpResponse(fails())),
    path("later/waits", django_waits),
    path("later/large", django_large),
    path("later/fails", django_fails),
]
django_wsgi = WSGIHandler()
_django_asgi = ASGIHandler()


async def django_asgi(scope: Any, receive: Any, send: Any) -> None:
    await _django_asgi({**scope, "path": f"/later{scope['path']}"}, receive, send)


def plain(request: PlainRequest) -> PlainResponse:
    if request.path == "/events":
        return events(iter(["one", "two"]))
    return PlainResponse({"/waits": waits, "/large": large, "/fails": fails}[request.path]())


async def coroutine(request: PlainRequest) -> PlainResponse:
    return PlainResponse({"/waits": waits_later, "/large": large_later, "/fails": fails_later}[request.path]())
