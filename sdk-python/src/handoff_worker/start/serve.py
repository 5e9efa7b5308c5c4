"""Where a worker begins: which engine runs an application, and with which concurrency."""

import sys
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from handoff_worker import accelerator
from handoff_worker.engine.application import AsyncApplication, BlockingApplication, StartupFailed
from handoff_worker.engine.coroutine_function import is_coroutine_function
from handoff_worker.engine.exit_codes import BAD_ENVIRONMENT, CLEAN, FAILED, INTERRUPTED
from handoff_worker.log import logger
from handoff_worker.plain.application import application_of_function
from handoff_worker.plain.request import Request
from handoff_worker.plain.response import Response
from handoff_worker.protocol import json_codec
from handoff_worker.protocol.environment import BadEnvironment, Environment, read_environment

if TYPE_CHECKING:
    from handoff_worker.plain.web_socket import WebSocket

ASYNC_CONCURRENCY = 1000
"""Requests at once for coroutines, which mostly wait: docs/decisions/0010-python-window.md."""

MOST_THREADS = 1000


def serve(
    handler: Callable[[Request], Response] | Callable[[Request], Awaitable[Response]],
    *,
    concurrency: int | None = None,
    threads: int = 1,
    websocket: "Callable[[WebSocket], Awaitable[None]] | None" = None,
    origins: Iterable[str] | None = None,
    subprotocols: Iterable[str] = (),
) -> None:
    """
    Serves requests with a function until the core or the operator stops this worker. Call it last, on the main thread.

    `handler`: takes a `Request` and returns a `Response`. A handler declared with `async def` runs on an event loop (uvloop's where
    that is installed), many requests at a time. Any other runs one request at a time, or up to `threads`.

    `concurrency`: how many requests the core hands over at once, at least 1 (PROTOCOL.md, `Window`). The option `--concurrency` of
    the core overrides it. By default it is 1000 for `async def`; for any other function it follows the function's speed, as many
    requests as it handles in 10 ms, from 2 to 64.

    `threads`: how many requests a function without `async` may handle at a time, from 1 to 1000. With more than one the function
    has to be safe to call from several threads.

    `websocket`: takes a `WebSocket` and is declared with `async def`, as `handler` has to be then. It is called for each that a
    client asks for, on any path; `socket.request` has the path. Without it such clients get what `handler` returns.

    `origins`: the pages that may open WebSockets in a browser, such as `https://example.org`; `["*"]` for any. By default those of
    the host that the request was sent to. Others get 403. `subprotocols`: those that the function speaks; the first that the client
    offers is chosen.

    Returns when the worker was told to stop and has finished. Raises `SystemExit` with 1 where the core refuses this worker, or had
    started it and is gone, and with 2 where the environment names no core. Raises `TypeError` and `ValueError` for wrong arguments.
    """
    application = application_of_function(handler, websocket, origins, subprotocols)
    run(application, concurrency=concurrency, threads=threads)


def run(
    application: BlockingApplication | AsyncApplication, *, concurrency: int | None = None, threads: int = 1
) -> None:
    """Serves an application with the engine that it needs; returns or exits as `serve` does."""
    if not 1 <= threads <= MOST_THREADS:
        raise ValueError(f"threads is {threads}: expected 1 to {MOST_THREADS}")
    if concurrency is not None and concurrency < 1:
        raise ValueError(f"concurrency is {concurrency}: expected at least 1")
    for stream in (sys.stdout, sys.stderr):
        # Into a pipe Python writes in blocks, so that a line would show minutes later.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(line_buffering=True)
    logger.set_up()
    logger.log.log(*accelerator.said)
    if json_codec.refused is not None:
        logger.log.warning(json_codec.refused)
    try:
        code = _run(application, read_environment(), concurrency, threads)
    except BadEnvironment as problem:
        print(f"handoff: {problem}", file=sys.stderr)
        code = BAD_ENVIRONMENT
    except StartupFailed as problem:
        logger.log.error("%s cannot start: %s", application.name, str(problem).rstrip())
        code = FAILED
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code != CLEAN:
        sys.exit(code)


def _run(
    application: BlockingApplication | AsyncApplication, environment: Environment, concurrency: int | None, threads: int
) -> int:
    chosen = environment.concurrency or concurrency
    if is_coroutine_function(application.start):
        from handoff_worker.engine.async_worker import AsyncWorker

        return AsyncWorker(application, environment, chosen or ASYNC_CONCURRENCY).run()  # type: ignore[arg-type]
    from handoff_worker.engine.blocking_worker import BlockingWorker

    return BlockingWorker(application, environment, chosen, threads).run()  # type: ignore[arg-type]
