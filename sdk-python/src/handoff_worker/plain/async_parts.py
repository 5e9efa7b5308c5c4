"""Sends a response whose body comes in parts, from a coroutine function."""

from collections.abc import AsyncIterator

from handoff_worker.engine.async_response import AsyncResponse
from handoff_worker.engine.gathered_events import tell_gathered
from handoff_worker.plain.response import Part, Response, as_bytes, close_parts
from handoff_worker.protocol.exchange import Exchange


async def send_parts(exchange: Exchange, response: Response) -> None:
    """
    Takes the parts one after the other, and returns when the response has left.

    The iterable is closed in any case. Raises what it raises. One that is not asynchronous runs on the event loop, and holds up
    the loop while it makes a part.
    """
    iterator = _iterator(response)
    try:
        if exchange.may_stream:
            sender = AsyncResponse(exchange, response.status, response.headers, response.reason)
            try:
                async for part in iterator:
                    await sender.send(as_bytes(part))
                await sender.end()
            finally:
                sender.close()
        else:
            await _gather(exchange, response, iterator)
    finally:
        await iterator.aclose()  # type: ignore[attr-defined]
    if exchange.cancelled is not None:
        exchange.fail(f"cancelled: {exchange.cancelled}")


async def send_large(exchange: Exchange, response: Response) -> None:
    """Sends in pieces what is whole and too large for one frame, and returns when all of it has left."""
    sender = AsyncResponse(exchange, response.status, response.headers, response.reason)
    try:
        await sender.end(response.body)
    finally:
        sender.close()


async def _iterator(response: Response) -> AsyncIterator[Part]:
    """The parts, of whichever kind of iterable; closes it at its end."""
    parts = response.parts
    assert parts is not None, "a whole response"
    if hasattr(parts, "__aiter__"):
        try:
            async for part in parts:
                yield part
        finally:
            if hasattr(parts, "aclose"):
                await parts.aclose()
    else:
        try:
            for part in parts:
                yield part
        finally:
            close_parts(parts)


async def _gather(exchange: Exchange, response: Response, iterator: AsyncIterator[Part]) -> None:
    """For a core that takes whole responses only."""
    tell_gathered(response.headers)
    gathered, count = [], 0
    async for part in iterator:
        content = as_bytes(part)
        gathered.append(content)
        count += len(content)
        if count > exchange.body_limit:
            break
    exchange.answer(response.status, response.headers, b"".join(gathered), response.reason)
