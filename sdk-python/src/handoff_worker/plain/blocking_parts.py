"""Sends a response whose body comes in parts, from a function that blocks."""

from collections.abc import Iterable

from handoff_worker.engine.blocking_response import BlockingResponse
from handoff_worker.engine.gathered_events import tell_gathered
from handoff_worker.plain.response import Part, Response, as_bytes, close_parts
from handoff_worker.protocol.exchange import Exchange


def send_parts(exchange: Exchange, response: Response) -> None:
    """
    Takes the parts one after the other, and returns when the response has left.

    The iterable is closed in any case. Raises what it raises, and `TypeError` for one that is asynchronous.
    """
    parts = response.parts
    if not isinstance(parts, Iterable):
        raise TypeError("the body of a Response is asynchronous: declare the handler with async def")
    if not exchange.may_stream:
        _gather(exchange, response, parts)
        return
    sender = BlockingResponse(exchange, response.status, response.headers, response.reason)
    try:
        for part in parts:
            sender.write(as_bytes(part))
            if exchange.cancelled is not None:
                break
        else:
            sender.end()
        if exchange.cancelled is not None:
            exchange.fail(f"cancelled: {exchange.cancelled}")
    finally:
        sender.close()
        close_parts(parts)


def _gather(exchange: Exchange, response: Response, parts: Iterable[Part]) -> None:
    """For a core that takes whole responses only."""
    gathered, count = [], 0
    tell_gathered(response.headers)
    try:
        for part in parts:
            content = as_bytes(part)
            gathered.append(content)
            count += len(content)
            if count > exchange.body_limit or exchange.cancelled is not None:
                break
    finally:
        close_parts(parts)
    exchange.answer(response.status, response.headers, b"".join(gathered), response.reason)
