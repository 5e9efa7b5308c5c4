"""Applications whose life the tests follow, as ASGI and as WSGI."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

finished: list[str] = []


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Any]]:
    if os.environ.get("STARTUP") == "fails":
        raise OSError("no database")
    say("started")
    yield {"greeting": "hello from the lifespan"}
    say("shut down in order")


async def greeting(request: Request) -> Response:
    return PlainTextResponse(request.state.greeting)


async def background(request: Request) -> Response:
    async def work() -> None:
        await asyncio.sleep(0.05)
        finished.append("background")

    return PlainTextResponse("at once", background=BackgroundTask(work))


async def told(request: Request) -> Response:
    return PlainTextResponse(",".join(finished))


async def patient(request: Request) -> Response:
    """Waits for its client to leave."""
    say("waiting")
    while not await request.is_disconnected():
        await asyncio.sleep(0.01)
    say("the client left")
    return Response()


async def slow(request: Request) -> Response:
    say("slow begins")
    await asyncio.sleep(0.5)
    return PlainTextResponse("slow but sure")


async def endless(request: Request) -> Response:
    async def chunks() -> AsyncIterator[bytes]:
        while True:
            yield b"x" * 1024 * 1024

    return StreamingResponse(chunks())


async def failing(request: Request) -> Response:
    raise LookupError("lost in the application")


asgi = Starlette(
    lifespan=lifespan,
    routes=[
        Route("/greeting", greeting),
        Route("/background", background),
        Route("/told", told),
        Route("/patient", patient),
        Route("/slow", slow),
        Route("/endless", endless),
    ],
)


both_are_here = threading.Barrier(2)


def wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterator[bytes]:
    path = environ["PATH_INFO"]
    if path == "/together":
        both_are_here.wait(30)  # raises when nobody comes
    elif path == "/failing":
        raise LookupError("lost in the application")
    start_response("200 OK", [("content-type", "text/plain")])
    if path == "/endless":
        while True:
            yield b"x" * 1024 * 1024
    yield f"{path} {environ['wsgi.multithread']}".encode()
