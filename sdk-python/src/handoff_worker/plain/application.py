"""Makes an application of a plain function."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from handoff_worker.engine.application import AsyncApplication, BlockingApplication
from handoff_worker.engine.coroutine_function import is_coroutine_function
from handoff_worker.plain.function import BlockingFunction
from handoff_worker.plain.request import Request

if TYPE_CHECKING:
    from handoff_worker.plain.web_socket import WebSocket


def application_of_function(
    handler: Callable[[Request], object],
    websocket: "Callable[[WebSocket], Awaitable[None]] | None" = None,
    origins: Iterable[str] | None = None,
    subprotocols: Iterable[str] = (),
) -> BlockingApplication | AsyncApplication:
    """
    The application of a function from `Request` to `Response`, declared with `async` or not. Raises `TypeError` for anything else.

    The other parameters are those of `serve`.
    """
    if not callable(handler):
        raise TypeError(f"a handler has to be a function, not {type(handler).__name__}: {handler!r}")
    if is_coroutine_function(handler):
        from handoff_worker.plain.async_function import AsyncFunction

        if websocket is not None and not is_coroutine_function(websocket):
            raise TypeError(f"websocket has to be a function declared with async def, not {websocket!r}")
        return AsyncFunction(handler, websocket, origins, subprotocols)  # type: ignore[arg-type]
    if websocket is not None:
        raise TypeError("a handler beside which WebSockets are served has to be declared with async def")
    return BlockingFunction(handler)  # type: ignore[arg-type]
