"""Tells coroutine functions without `inspect`, whose import takes longer than that of the SDK."""

import functools
from types import CodeType

_CO_COROUTINE = 0x80  # inspect.CO_COROUTINE


def is_coroutine_function(candidate: object) -> bool:
    """Whether a call gives a coroutine: for functions declared with `async def`, and objects whose `__call__` is one."""
    while isinstance(candidate, functools.partial):
        candidate = candidate.func
    candidate = getattr(candidate, "__func__", candidate)
    code = getattr(candidate, "__code__", None)
    if code is None and not isinstance(candidate, type):
        code = getattr(getattr(candidate, "__call__", None), "__code__", None)  # noqa: B004  its code, not whether it has one
    return isinstance(code, CodeType) and bool(code.co_flags & _CO_COROUTINE)
