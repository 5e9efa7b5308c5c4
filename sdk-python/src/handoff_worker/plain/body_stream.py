"""What `Request.stream` gives, and who gets it before the body is there."""

import functools
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar

from handoff_worker.engine.async_body import AsyncBody, AsyncWholeBody
from handoff_worker.engine.blocking_body import BlockingBody

Source = BlockingBody | AsyncBody | AsyncWholeBody
"""Where the body of a request comes from while it is not there."""

Handler = TypeVar("Handler", bound=Callable[..., Any])

_MARK = "handoff_streams_body"


def streams_body(handler: Handler) -> Handler:
    """
    Marks an `async def` handler that is to be called before the body of a large request is there.

    It takes the pieces by `async for piece in request.stream()`, or all of them by `await request.read()`; until then `body`,
    `text()`, `json()` and `form` raise `RuntimeError`, for small bodies too. A function without `async` is always called at once, and needs no mark.
    """
    setattr(handler, _MARK, True)
    return handler


def is_marked(handler: Any) -> bool:
    """Whether it has the mark of `streams_body`: a function, a partial of one, or an object whose `__call__` has it."""
    while isinstance(handler, functools.partial):
        if hasattr(handler, _MARK):
            return True
        handler = handler.func
    return hasattr(handler, _MARK) or hasattr(getattr(handler, "__call__", None), _MARK)  # noqa: B004  not whether it has one


class BodyStream:
    """
    The body in pieces, which are never empty: for `for`, and in `async def` for `async for`.

    Raises `OSError` where the client leaves, or the time is over, before the last piece.
    """

    def __init__(self, source: Source | None, whole: bytes) -> None:
        """`whole`: the body that is here, where there is no `source`."""
        self._source = source
        self._whole = whole

    def __iter__(self) -> Iterator[bytes]:
        if isinstance(self._source, AsyncBody | AsyncWholeBody):
            raise TypeError("the body of this request comes in pieces: take them by 'async for'")
        if self._source is None:
            return iter([self._whole] if self._whole else [])
        return iter(self._source.read, b"")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if isinstance(self._source, BlockingBody):
            raise TypeError("this handler is no coroutine: take the pieces by 'for'")
        if self._source is None:
            if self._whole:
                yield self._whole
            return
        while piece := await self._source.read():
            yield piece
