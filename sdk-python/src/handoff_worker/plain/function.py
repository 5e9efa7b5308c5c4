"""Serves a function that blocks."""

from collections.abc import Awaitable, Callable

from handoff_worker.engine.blocking_body import BlockingBody
from handoff_worker.engine.blocking_response import send_large
from handoff_worker.plain.blocking_parts import send_parts
from handoff_worker.plain.request import BadRequest, Request, large_request, leave_body_to
from handoff_worker.plain.response import Response
from handoff_worker.protocol.exchange import BodyTooLarge, Exchange
from handoff_worker.protocol.request_body import BodyCutOff

BlockingHandler = Callable[[Request], Response]


def name_of(handler: object) -> str:
    """What messages call a handler."""
    return getattr(handler, "__qualname__", None) or type(handler).__qualname__


def not_a_response(name: str, returned: object) -> TypeError:
    """The exception for a handler that returned something else than a response."""
    hint = "declare it with async def" if isinstance(returned, Awaitable) else "for example: return Response('hello')"
    return TypeError(f"{name} returned {type(returned).__name__}, not a handoff_worker.Response; {hint}")


def response_to_bad_request(problem: BadRequest) -> Response:
    """The 400 for a request that a handler could not read."""
    return Response(f"{problem}\n", status=400)


class BlockingFunction:
    """An application of a function `(Request) -> Response`."""

    def __init__(self, handler: BlockingHandler) -> None:
        self._handler = handler
        self.name = name_of(handler)

    def start(self) -> None:
        """Does nothing: a function has no startup."""

    def begin(self, exchange: Exchange) -> None:
        try:
            request = (
                Request(exchange) if exchange.pieces is None else large_request(exchange, BlockingBody(exchange.pieces))
            )
            response = self._handler(request)
        except BadRequest as problem:
            response = response_to_bad_request(problem)
        except BodyCutOff as problem:
            if exchange.cancelled is None:
                raise
            exchange.fail(str(problem))  # the handler gave up because its client did, which is no fault
            return
        if type(response) is not Response and not isinstance(response, Response):
            raise not_a_response(self.name, response)
        if response.parts is not None:
            leave_body_to(request)
            del request  # its response may last for hours
            send_parts(exchange, response)
            return
        try:
            exchange.answer(response.status, response.headers, response.body, response.reason)
        except BodyTooLarge:
            if not exchange.may_stream:
                raise
            send_large(exchange, response.status, response.headers, response.body, response.reason)

    def stop(self) -> None:
        """Does nothing: a function has no shutdown."""
