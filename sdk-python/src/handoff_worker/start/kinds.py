"""Tells what kind of application an object is."""

from typing import Any

from handoff_worker.engine.application import AsyncApplication, BlockingApplication
from handoff_worker.gateway.gathering_budget import Gathering
from handoff_worker.start import serve
from handoff_worker.start.callables import accepts
from handoff_worker.start.load import LoadFailed

KINDS = ("asgi", "wsgi", "function")


def application_of(
    candidate: Any, name: str, kind: str, threads: int, gathering: Gathering | None = None
) -> BlockingApplication | AsyncApplication:
    """What the engines run. `kind`: one of `KINDS`."""
    if kind == "asgi":
        from handoff_worker.asgi.application import AsgiApplication

        return AsgiApplication(candidate, name, gathering)
    if kind == "wsgi":
        from handoff_worker.wsgi.application import WsgiApplication

        return WsgiApplication(candidate, name, multithread=threads > 1, gathering=gathering)
    application = serve.function(candidate)
    application.name = name
    return application


def kind_of(candidate: Any, name: str) -> str:
    """Tells the kind by what the object can be called with; raises `LoadFailed` if it is nothing that can be served."""
    from handoff_worker.asgi.application import is_asgi, is_asgi2
    from handoff_worker.wsgi.application import is_wsgi

    if not callable(candidate):
        raise LoadFailed(f"{name} is {type(candidate).__name__}: it cannot be called, so it is no application")
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
