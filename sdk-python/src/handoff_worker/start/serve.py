"""Where a worker begins: which engine runs an application, with which window."""

import functools
import sys
from collections.abc import Awaitable, Callable
from types import CodeType

from handoff_worker.engine.application import AsyncApplication, BlockingApplication, StartupFailed
from handoff_worker.log import logger
from handoff_worker.plain.function import BlockingFunction
from handoff_worker.plain.request import Request
from handoff_worker.plain.response import Response
from handoff_worker.protocol import environment
from handoff_worker.protocol.environment import BadEnvironment, Environment

ASYNC_WINDOW = 1000
"""Of coroutines, which mostly wait: docs/decisions/0010-python-window.md."""

MOST_THREADS = 1000

_CO_COROUTINE = 0x80  # inspect.CO_COROUTINE, without the time that importing inspect takes


def serve(
    handler: Callable[[Request], Response] | Callable[[Request], Awaitable[Response]],
    *,
    window: int | None = None,
    threads: int = 1,
) -> None:
    """
    Serves requests with a function until the core has no more use for this worker. Call it last, on the main thread.

    `handler` takes a `Request` and returns a `Response`. One declared with `async def` runs on an event loop (uvloop's where that is
    installed), many requests at a time. Any other runs one request at a time, or as many as there are `threads`.

    `window`: how many requests the core hands over at once (PROTOCOL.md, `Window`); `--concurrency` overrides it. By default it is
    1000 for `async def`, and follows any other function: as many requests as it handles in 10 ms, 2 to 64. `threads`: how many requests a function without `async` may handle at a time; with more than one
    it has to be safe to call from several threads.

    Returns when it was told to stop and has finished. Exits with 1 where the core refuses this worker, or is gone and had started it,
    and with 2 where the environment names no core.
    """
    run(function(handler), window=window, threads=threads)


def function(handler: Callable[[Request], object]) -> BlockingApplication | AsyncApplication:
    """The application of a plain function; raises `TypeError` if it is none."""
    if not callable(handler):
        raise TypeError(f"a handler has to be a function, not {type(handler).__name__}: {handler!r}")
    if is_coroutine_function(handler):
        from handoff_worker.plain.async_function import AsyncFunction

        return AsyncFunction(handler)  # type: ignore[arg-type]
    return BlockingFunction(handler)  # type: ignore[arg-type]


def run(application: BlockingApplication | AsyncApplication, *, window: int | None = None, threads: int = 1) -> None:
    """Serves an application with the engine that it needs; returns or exits as `serve` does."""
    if not 1 <= threads <= MOST_THREADS:
        raise ValueError(f"threads is {threads}: expected 1 to {MOST_THREADS}")
    if window is not None and window < 1:
        raise ValueError(f"window is {window}: expected at least 1")
    for stream in (sys.stdout, sys.stderr):
        # Into a pipe Python writes in blocks, and a line would show minutes later.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(line_buffering=True)
    logger.set_up()
    try:
        code = _run(application, environment.read(), window, threads)
    except BadEnvironment as problem:
        print(f"handoff: {problem}", file=sys.stderr)
        code = 2
    except StartupFailed as problem:
        logger.log.error("%s cannot start: %s", application.name, str(problem).rstrip())
        code = 1
    except KeyboardInterrupt:
        code = 130
    if code != 0:
        sys.exit(code)


def _run(
    application: BlockingApplication | AsyncApplication, environment: Environment, window: int | None, threads: int
) -> int:
    if is_coroutine_function(application.start):
        from handoff_worker.engine.async_worker import AsyncWorker

        return AsyncWorker(application, environment, environment.window or window or ASYNC_WINDOW).run()  # type: ignore[arg-type]
    from handoff_worker.engine.blocking_worker import BlockingWorker

    return BlockingWorker(application, environment, environment.window or window, threads).run()  # type: ignore[arg-type]


def is_coroutine_function(candidate: object) -> bool:
    """Whether calling it gives a coroutine: declared with `async def`, or an object whose `__call__` is."""
    while isinstance(candidate, functools.partial):
        candidate = candidate.func
    candidate = getattr(candidate, "__func__", candidate)
    code = getattr(candidate, "__code__", None)
    if code is None and not isinstance(candidate, type):
        code = getattr(getattr(candidate, "__call__", None), "__code__", None)  # noqa: B004  its code, not whether it has one
    return isinstance(code, CodeType) and bool(code.co_flags & _CO_COROUTINE)
