"""The SDK's hello world: a function that takes a request and returns a response."""

from handoff import Request, Response, serve


def hello(request: Request) -> Response:
    return Response("hello\n")


serve(hello)
