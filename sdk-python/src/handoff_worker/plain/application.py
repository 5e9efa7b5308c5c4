"""Makes an application of a plain function."""

from collections.abc import Callable

from handoff_worker.engine.application import AsyncApplication, BlockingApplication
from handoff_worker.engine.coroutine_function import is_coroutine_function
from handoff_worker.plain.function import BlockingFunction
from handoff_worker.plain.request import Request


def application_of_function(handler: Callable[[Request], object]) -> BlockingApplication | AsyncApplication:
    """The application of a function from `Request` to `Response`, declared with `async` or not. Raises `TypeError` for anything else."""
    if not callable(handler):
        raise TypeError(f"a handler has to be a function, not {type(handler).__name__}: {handler!r}")
    if is_coroutine_function(handler):
        from handoff_worker.plain.async_function import AsyncFunction

        return AsyncFunction(handler)  # type: ignore[arg-type]
    return BlockingFunction(handler)  # type: ignore[arg-type]
