"""A route of Starlette."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


async def hello(request: Request) -> Response:
    return Response("hello\n", headers={"content-type": "text/plain"})


app = Starlette(routes=[Route("/", hello)])
