"""
Serves Python functions, ASGI and WSGI applications as workers of the Handoff HTTP server.

    from handoff_worker import Request, Response, serve

    def hello(request: Request) -> Response:
        return Response("hello\\n")

    serve(hello)

`handoff run FILE` starts it. An ASGI or WSGI application needs none of this: `handoff run main:app`.

What this module exports is the public API. The modules inside may change with any version.
"""

from typing import TYPE_CHECKING, Any

from handoff_worker.plain.body_stream import streams_body
from handoff_worker.plain.events import Event, events
from handoff_worker.plain.form import File, Form
from handoff_worker.plain.headers import Headers
from handoff_worker.plain.parameters import Parameters
from handoff_worker.plain.request import BadRequest, Request
from handoff_worker.plain.response import Response
from handoff_worker.start.serve import serve
from handoff_worker.version import __version__

if TYPE_CHECKING:
    from handoff_worker.plain.web_socket import WebSocket, WebSocketClosed

__all__ = [
    "BadRequest",
    "Event",
    "File",
    "Form",
    "Headers",
    "Parameters",
    "Request",
    "Response",
    "WebSocket",
    "WebSocketClosed",
    "__version__",
    "events",
    "serve",
    "streams_body",
]


def __getattr__(name: str) -> Any:
    """Imports what needs an event loop when it is asked for: functions that block start without one."""
    if name in ("WebSocket", "WebSocketClosed"):
        from handoff_worker.plain import web_socket

        return getattr(web_socket, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
