"""A plain function as an application."""

from collections.abc import Awaitable, Callable

from handoff_worker.plain.request import BadRequest, Request
from handoff_worker.plain.response import Response
from handoff_worker.protocol.exchange import Exchange

BlockingHandler = Callable[[Request], Response]


def name_of(handler: object) -> str:
    """What messages call it."""
    return getattr(handler, "__qualname__", None) or type(handler).__qualname__


def wrong_answer(name: str, answer: object) -> TypeError:
    """What is raised for a function that returns something else than a response."""
    hint = "declare it with async def" if isinstance(answer, Awaitable) else "for example: return Response('hello')"
    return TypeError(f"{name} returned {type(answer).__name__}, not a handoff_worker.Response; {hint}")


def refusal(problem: BadRequest) -> Response:
    """The answer to a request that a handler could not read."""
    return Response(f"{problem}\n", status=400)


class BlockingFunction:
    """A function `(Request) -> Response`."""

    def __init__(self, handler: BlockingHandler) -> None:
        self._handler = handler
        self.name = name_of(handler)

    def start(self) -> None:
        """A function has nothing to start."""

    def begin(self, exchange: Exchange) -> None:
        try:
            response = self._handler(Request(exchange))
        except BadRequest as problem:
            response = refusal(problem)
        if type(response) is not Response and not isinstance(response, Response):
            raise wrong_answer(self.name, response)
        exchange.answer(response.status, response.headers, response.body, response.reason)

    def stop(self) -> None:
        """Nor anything to stop."""
