"""Tells what kind of application an object is, by what it can be called with."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from handoff_worker.engine.application import AsyncApplication, BlockingApplication
from handoff_worker.gateway.gathering_budget import GatheringBudget
from handoff_worker.plain.application import application_of_function
from handoff_worker.start.load import LoadFailed

KINDS = ("asgi", "wsgi", "function")


def application_of(
    candidate: Any, name: str, kind: str, threads: int, budget: GatheringBudget | None = None
) -> BlockingApplication | AsyncApplication:
    """What an engine runs. `name`: what messages call it. `kind`: one of `KINDS`. `budget`: for responses in parts."""
    if kind == "asgi":
        from handoff_worker.asgi.application import AsgiApplication

        return AsgiApplication(candidate, name, budget)
    if kind == "wsgi":
        from handoff_worker.wsgi.application import WsgiApplication

        return WsgiApplication(candidate, name, multithread=threads > 1, budget=budget)
    application = application_of_function(candidate)
    application.name = name
    return application


def kind_of(candidate: Any, name: str) -> str:
    """One of `KINDS`. Raises `LoadFailed` for an object that cannot be served; the message says why, and what to do."""
    if not callable(candidate):
        raise LoadFailed(f"{name} is {type(candidate).__name__}, which cannot be called, so it is not an application")
    if is_asgi(candidate):
        return "asgi"
    if is_wsgi(candidate):
        return "wsgi"
    if is_asgi2(candidate):
        raise LoadFailed(
            f"{name} is an ASGI 2 application; wrap it with asgiref.compatibility.guarantee_single_callable"
        )
    if accepts(candidate, 1) and not isinstance(candidate, type):
        return "function"
    if accepts(candidate, 0):
        raise LoadFailed(f"{name} takes no arguments: if it makes the application, add --factory")
    raise LoadFailed(
        f"{name} is neither a function of one request nor an ASGI or WSGI application; if it is one that hides its signature, "
        f"say so with --interface {'|'.join(KINDS)}"
    )


def is_asgi(app: Any) -> bool:
    """Whether this is an ASGI 3 application: it is called with a scope, `receive` and `send`, and awaited."""
    return is_async(app) and accepts(app, 3) and not accepts(app, 1)


def is_asgi2(app: Any) -> bool:
    """Whether this is a class of the older ASGI 2, which is called with a scope and then awaited. It is not supported."""
    return inspect.isclass(app) and accepts(app, 1) and inspect.iscoroutinefunction(vars(app).get("__call__"))


def is_wsgi(app: Any) -> bool:
    """Whether this is a WSGI application: it is called with an environ and `start_response`."""
    return callable(app) and not is_async(app) and accepts(app, 2) and not accepts(app, 1)


def accepts(function: Callable[..., Any], count: int) -> bool:
    """Whether it can be called with so many positional arguments and nothing else. A callable that hides its signature cannot."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except (TypeError, ValueError):
        return False
    return True


def is_async(function: Callable[..., Any]) -> bool:
    """Whether a call has to be awaited: of a coroutine function, a partial of one, or an object with one as its `__call__`."""
    while isinstance(function, partial):
        function = function.func
    return inspect.iscoroutinefunction(function) or (
        not inspect.isclass(function) and inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004
    )
