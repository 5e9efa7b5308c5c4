"""The SDK's hello world: a function that takes a request and returns a response."""

from handoff_worker import Request, Response, serve


def hello(request: Request) -> Response:
    return Response("hello\n")


serve(hello)
