"""The same responses in pieces by each framework: one whose second part waits, one that breaks half way, and events of FastAPI and sse-starlette."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from os import environ
from pathlib import Path

import django
import fastapi.sse
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, StreamingHttpResponse
from django.urls import path
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from fastapi.sse import ServerSentEvent
from flask import Flask, Response
from sse_starlette.sse import EventSourceResponse

FOLDER = Path(environ["STREAMING_FOLDER"])


def waits() -> Iterator[bytes]:
    try:
        yield b"one"
        while not (FOLDER / "go").exists():
            time.sleep(0.01)
        yield b"two"
    finally:
        (FOLDER / "closed").touch()


def fails() -> Iterator[bytes]:
    yield b"begun"
    time.sleep(0.1)
    raise LookupError("half way")


async def events() -> AsyncIterator[dict[str, str]]:
    try:
        yield {"data": "one", "id": "1"}
        while not (FOLDER / "go").exists():
            await asyncio.sleep(0.01)
        yield {"data": "two", "event": "tick"}
    finally:
        (FOLDER / "closed").touch()


flask_app = Flask(__name__)
flask_app.add_url_rule("/waits", "waits", lambda: Response(waits()))
flask_app.add_url_rule("/fails", "fails", lambda: Response(fails()))

fastapi_app = FastAPI()
fastapi_app.get("/waits")(lambda: StreamingResponse(waits()))
fastapi_app.get("/fails")(lambda: StreamingResponse(fails()))


@fastapi_app.get("/events")
async def sse_starlette_events() -> EventSourceResponse:
    return EventSourceResponse(events())


@fastapi_app.get("/own-events", response_class=fastapi.sse.EventSourceResponse)
async def fastapi_events() -> AsyncIterator[ServerSentEvent]:
    async for event in events():
        yield ServerSentEvent(**event)


def django_waits(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(waits())


def django_fails(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(fails())


settings.configure(SECRET_KEY="of the tests", ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, LOGGING_CONFIG=None)
django.setup()
urlpatterns = [path("waits", django_waits), path("fails", django_fails)]
django_app = WSGIHandler()
