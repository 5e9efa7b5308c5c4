"""A handler that computes, waits with its thread, or waits as a coroutine; TUNING_HANDLER says which."""

import asyncio
import os
import time

from handoff_worker import Request, Response, serve

COMPUTE_SECONDS = 0.001
WAIT_SECONDS = 0.01


def computes(request: Request) -> Response:
    # CPU time rather than time, so that a worker that shares its core computes as much as one that does not.
    end = time.thread_time() + COMPUTE_SECONDS
    while time.thread_time() < end:
        pass
    return Response("hello\n")


def waits(request: Request) -> Response:
    time.sleep(WAIT_SECONDS)
    return Response("hello\n")


async def awaits(request: Request) -> Response:
    await asyncio.sleep(WAIT_SECONDS)
    return Response("hello\n")


match os.environ["TUNING_HANDLER"]:
    case "computes":
        serve(computes)
    case "waits":
        serve(waits)
    case "awaits":
        serve(awaits)
