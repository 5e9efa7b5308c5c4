"""What can be told about a callable without calling it."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any


def accepts(function: Callable[..., Any], count: int) -> bool:
    """Whether it can be called with so many positional arguments and nothing else. What hides its signature accepts none."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except (TypeError, ValueError):
        return False
    return True


def is_async(function: Callable[..., Any]) -> bool:
    """Whether a call of it has to be awaited: a coroutine function, a partial of one, or an object with one as its call."""
    while isinstance(function, partial):
        function = function.func
    return inspect.iscoroutinefunction(function) or (
        not inspect.isclass(function) and inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004
    )
