"""
The Handoff SDK: Python functions, ASGI and WSGI applications as workers of the Handoff HTTP server.

    from handoff import Request, Response, serve

    def hello(request: Request) -> Response:
        return Response("hello\\n")

    serve(hello)

`handoff run FILE` starts it. An ASGI or WSGI application needs none of this: `handoff run main:app`.
"""

from handoff._serve import serve
from handoff._version import __version__
from handoff.form import File, Form
from handoff.headers import Headers
from handoff.parameters import Parameters
from handoff.request import BadRequest, Request
from handoff.response import Response

__all__ = ["BadRequest", "File", "Form", "Headers", "Parameters", "Request", "Response", "__version__", "serve"]
