"""The response of asynchronous code that gives its body in parts."""

import asyncio
from collections.abc import Iterable

from handoff_worker.engine.unsent_parts import UnsentParts
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.protocol.response_frame import response_head
from handoff_worker.protocol.response_stream import MOST_PIECE_BYTES

MOST_GATHERED_BYTES = 64 * 1024
"""From here on the response begins to leave: no more than its first credit waits for each of thousands of slow clients."""

DECLARED_SECONDS = 0.01
"""How long a response of a declared length may take to become whole: middleware often gives the body and its end apart."""


class AsyncResponse(UnsentParts):
    """
    Gathers the parts of one response. It leaves whole when it is complete within the turn of the event loop, else in pieces.

    The parts of one turn leave together. Only for a core that takes pieces (`Exchange.may_stream`). Lives on the thread of the
    event loop.
    """

    __slots__ = ("_loop", "_room", "_timer", "_waited")

    def __init__(
        self, exchange: Exchange, status: int, headers: Iterable[tuple[str, str]], reason: str | None = None
    ) -> None:
        """As for `Exchange.answer`; raises `ValueError` for what the core would refuse."""
        super().__init__(exchange, status, headers, reason)
        response_head(exchange.id, status, self._headers, 0, reason)
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.Handle | None = None
        self._waited = False
        self._room = asyncio.Event()

    async def send(self, part: bytes) -> None:
        """
        Takes a part of the body, and waits while the client has too much to read.

        Once the request is cancelled it returns at once, and drops the part. Raises `RuntimeError` for more than the declared length.
        """
        self._add(part)
        if self._stream is None:
            may_wait = self._bytes < MOST_GATHERED_BYTES
        else:
            may_wait = self._bytes < MOST_PIECE_BYTES and self._stream.has_room
        if not may_wait:
            await self._drain()
        elif self._timer is None:
            self._timer = self._loop.call_soon(self._turn_ends)

    async def end(self, part: bytes = b"") -> None:
        """Takes the last part, and ends the response as soon as all of it has left. Raises `RuntimeError` for less than the declared length."""
        self._add(part)
        self._length.end()
        if self._stream is None and self._bytes <= self._exchange.body_limit:
            self._exchange.answer(self._status, self._headers, b"".join(self._parts), self._reason)
            self.close()
            return
        if self._stream is None:
            self._declare_length()
        if self._stream is not None and self._stream.has_room and self._start + self._bytes <= MOST_PIECE_BYTES:
            self._exchange.end(b"".join(self._parts)[self._start :])
        else:
            await self._drain()
            self._exchange.end()
        self.close()

    def close(self) -> None:
        """Forgets what has not left. Called when the response has ended, however it did."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._drop()

    def _add(self, part: bytes) -> None:
        self._length.add(len(part))
        if part:
            self._keep(part)

    def _turn_ends(self) -> None:
        self._timer = None
        if self._stream is None and not self._waited and self._may_become_whole():
            self._waited = True
            self._timer = self._loop.call_later(DECLARED_SECONDS, self._turn_ends)
        else:
            self._push()

    def _may_become_whole(self) -> bool:
        return self._length.is_complete or (self._length.declared is not None and self._bytes < MOST_PIECE_BYTES)

    async def _drain(self) -> None:
        """Returns when all parts have left."""
        while self._push():
            assert self._stream is not None, "something is left, and nothing begun"
            self._room.clear()
            if not self._stream.has_room:
                await self._room.wait()

    def _push(self) -> bool:
        """Sends what may leave now. Returns whether something is left."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if len(self._parts) > 1 and self._bytes <= MOST_GATHERED_BYTES and not self._start:
            self._parts = [b"".join(self._parts)]
        return self._send_parts(self._room.set)
