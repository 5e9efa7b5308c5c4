"""The engine for asynchronous code: one event loop, on which the application runs as well."""

import asyncio
import socket
import time
from contextvars import copy_context
from typing import cast

from handoff_worker.engine.application import AsyncApplication
from handoff_worker.engine.failure_log import tell_failure
from handoff_worker.engine.kept_exchanges import KeptExchanges
from handoff_worker.engine.memory_report import MemoryReport
from handoff_worker.engine.piece_turns import PieceTurns
from handoff_worker.log.logger import log
from handoff_worker.protocol.connection import LEAVING, WELCOME_SECONDS, Connection
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.protocol.frames import (
    BeginOfRequest,
    FrameReader,
    Head,
    Piece,
    WebSocketMessage,
    capacity,
    failure,
)
from handoff_worker.protocol.outbox import LARGE_BYTES, MOST_JOINED_BYTES, MOST_UNSENT_BYTES
from handoff_worker.protocol.response_stream import TakesTurns

STALL_SECONDS = 30
"""A core that takes no bytes for so long counts as lost."""

MOST_PIECES_BYTES = 256 * 1024
"""While so much is unsent, pieces of responses that have begun take turns, and so do large messages of WebSockets."""

MOST_MESSAGES_BYTES = 1024 * 1024
"""While so much is unsent, small messages of WebSockets take turns as well: far below where requests do not begin any more."""

MOST_BEGUN = 64
"""Requests that begin in one turn of the loop. What they answer is seen before others begin."""


class AsyncEngine(asyncio.Protocol):
    """
    Serves one connection, on the thread of the event loop.

    Requests begin in the turn of the loop in which they are read. All responses of a turn leave in one write. The engine is also
    the outbox of its exchanges.

    A large response waits here, not in the transport, while the core takes no more, so that a cancel can take it back. While more
    than `MOST_UNSENT_BYTES` are unsent, requests are kept and do not begin. Pieces of responses that have begun, and large
    messages of WebSockets, take turns, so that the responses of others need not wait behind them.

    A request calls `put` in its own context, and the event loop hands a context on to all that is scheduled in it. So the engine
    leaves that context before it writes, sets a timer or begins requests that were kept.
    """

    def __init__(self, application: AsyncApplication, concurrency: int, memory: MemoryReport | None = None) -> None:
        """
        Created on the running event loop. `concurrency`: the requests that the core may hand over at once. `memory`: what the
        core is told of this process's memory, if anything.
        """
        self._memory = memory or MemoryReport(is_told=False)
        self._application = application
        self._concurrency = concurrency
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()
        """The context variables of nobody's request. Only copies of it are entered, so it stays as it is."""
        self._reader = FrameReader()
        self._parts: list[bytes] = []
        """The frames that leave with the next write."""
        self._large: dict[int, tuple[bytes, bytes]] = {}
        """Head and body of the large responses that have not begun to leave, by the id they answer."""
        self._large_bytes = 0
        """The bytes of these bodies."""
        self._unsent_bytes = 0
        """The bodies that were put since the last flush, and what the flush left over."""
        self._waiting = KeptExchanges()
        """The requests that were kept since too much is unsent, or enough have begun in this turn, the oldest first."""
        self._begun = 0
        """The requests that have begun since the last flush."""
        self._beginning = False
        self._paused = False
        self._turns = PieceTurns(self._loop, self._may_take_pieces)
        self._flushing = False
        self._serving = False
        self._stall: asyncio.TimerHandle | None = None
        self._written_bytes = 0
        """All that the transport was ever given."""
        self._taken_bytes = 0
        """How much of that the core had taken when the stall timer began."""
        self._greeted: asyncio.Future[bool] = self._loop.create_future()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._transport: asyncio.Transport | None = None
        self.connection = Connection(self._send)
        self.body_limit = 0
        self.stream_bytes = 0
        self.takes_fragments = False

    async def greet(self, core: socket.socket, hello: bytes) -> bool:
        """
        Sends the frame `hello` and waits up to 10 s for the welcome; returns whether the core takes this worker.

        `core`: a connected socket that does not block; the engine closes it.
        """
        await self._loop.create_unix_connection(lambda: self, sock=core)
        self._send(hello)
        try:
            return await asyncio.wait_for(self._greeted, WELCOME_SECONDS)
        except asyncio.TimeoutError:
            log.warning("the core does not answer")
            self._abort()
            return False

    async def serve(self) -> None:
        """Opens the window, and serves until the core or this worker ends the connection. Called once."""
        self._send(capacity(self._concurrency, self._memory.take()))
        self._serving = True
        await self._ended

    def leave(self) -> None:
        """Tells the core that this worker drains, and gives back what has not begun. Does nothing when all is over."""
        self.connection.leave()
        for exchange in self._waiting.take_all():
            exchange.fail(LEAVING, retry=True)

    @property
    def unsent_bytes(self) -> int:
        return self._unsent_bytes

    def put(self, request_id: int, head: bytes, body: bytes) -> None:
        self._unsent_bytes += len(body)
        if len(body) <= LARGE_BYTES:
            self._parts += (head, body)
        else:
            self._large[request_id] = head, body
            self._large_bytes += len(body)
        self.connection.in_flight.pop(request_id, None)
        if not self._flushing:
            self._flush_soon()

    def put_piece(self, request_id: int, head: bytes, body: bytes) -> None:
        self._parts += (head, body)
        self._unsent_bytes += len(head) + len(body)  # most of a small message is its head
        if not self._flushing:
            self._flush_soon()

    @property
    def takes_pieces(self) -> bool:
        return self._turns.are_idle and self._unsent_bytes < MOST_PIECES_BYTES

    @property
    def takes_small_messages(self) -> bool:
        return self._unsent_bytes - self._large_bytes < MOST_MESSAGES_BYTES

    def _may_take_pieces(self) -> bool:
        """Large responses that wait do not count: they and those that wait for a turn leave by turns."""
        return not self._paused and self._unsent_bytes - self._large_bytes < MOST_PIECES_BYTES

    def await_turn(self, waiting: TakesTurns, large: bool = False) -> None:
        self._turns.add(waiting, large)

    def flush_pieces(self) -> None:
        """Does nothing: all that a turn of the loop puts is written at its end."""

    def piece_awaited(self, request_id: int) -> None:
        """Does nothing: the loop reads whatever its tasks wait for."""

    def stream_begins(self, exchange: Exchange) -> None:
        """Does nothing: credit and cancels reach each request that has begun."""

    def stream_ends(self, request_id: int) -> None:
        """Does nothing: `put` has seen it."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._flushing = True  # this method flushes at its end
        now = time.monotonic()
        for message in self._reader.feed(data):
            if isinstance(message, tuple):
                request_id, millis, json, body = message
                self._begin(Exchange(request_id, json, body, now + millis / 1000, self))
            elif isinstance(message, Piece):
                self.connection.take_piece(message)
            elif isinstance(message, WebSocketMessage):
                self.connection.take_message(message)
            elif isinstance(message, BeginOfRequest):
                self._begin(self.connection.begin_large(message, now, self))
            else:
                self._take(message)
        if self._reader.fault is not None:
            log.error("the core sent %s, so the connection ends", self._reader.fault)
            self._abort()
        if self._serving and self._memory.is_due(now):
            self._parts.append(capacity(self._concurrency, self._memory.take()))
        if not self._greeted.done() and (self.connection.welcomed or self.connection.refused):
            self.body_limit = self.connection.body_limit
            self.stream_bytes = self.connection.stream_bytes
            self.takes_fragments = self.connection.takes_fragments
            self._greeted.set_result(self.connection.welcomed)
        self._flush()

    def pause_writing(self) -> None:
        self._paused = True
        self._await_progress()

    def resume_writing(self) -> None:
        self._paused = False
        if self._stall is not None:
            self._stall.cancel()
        self._flush()

    def connection_lost(self, problem: Exception | None) -> None:
        if problem is not None:
            log.warning("the core is gone: %s", problem)
        if self._stall is not None:
            self._stall.cancel()
        self._transport = None
        self._waiting.take_all()
        self._flush()
        self.connection.cancel_all()
        for future, result in ((self._greeted, False), (self._ended, None)):
            if not future.done():
                future.set_result(result)  # type: ignore[arg-type]

    def _begin(self, exchange: Exchange) -> None:
        if self.connection.leaving:
            exchange.fail(LEAVING, retry=True)
        elif self._begun >= MOST_BEGUN or self._unsent_bytes > MOST_UNSENT_BYTES or self._waiting:
            self._waiting.add(exchange)
        else:
            self._begin_now(exchange)

    def _begin_now(self, exchange: Exchange) -> None:
        self._begun += 1
        self.connection.in_flight[exchange.id] = exchange
        try:
            self._application.begin(exchange)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  whatever was raised, the core waits for this id
            tell_failure(exchange, error, self._application.name)

    def _send(self, frame: bytes) -> None:
        self._parts.append(frame)
        self._flush()

    def _take(self, message: Head) -> None:
        """Acts on a message that is not a request. A cancel also reaches what has not begun, and a response that has not left."""
        if message["type"] == "cancel":
            request_id, reason = message["id"], message["reason"]
            exchange = self._waiting.drop(request_id)
            if exchange is not None:
                exchange.fail(f"cancelled before it began: {reason}")
                return
            head_and_body = self._large.pop(request_id, None)
            if head_and_body is not None:
                size = len(head_and_body[1])
                self._large_bytes -= size
                self._unsent_bytes -= size
                self._parts.append(failure(request_id, f"cancelled before its response left: {reason}", retry=False))
                return
        self.connection.take(message)

    def _flush_soon(self) -> None:
        self._flushing = True
        self._loop.call_soon(self._flush, context=self._context.copy())

    def _flush(self) -> None:
        self._flushing = False
        self._begun = 0
        if self._transport is None:  # the core is gone
            self._parts.clear()
            self._large.clear()
            return
        if self._parts:
            parts, self._parts = self._parts, []
            if self._unsent_bytes - self._large_bytes <= MOST_JOINED_BYTES:
                self._write(b"".join(parts))
            else:
                parts.reverse()
                while parts:  # so that each body is freed before the next is copied
                    self._write(parts.pop())
        while self._large and not self._paused:
            head, body = self._large.pop(next(iter(self._large)))
            self._large_bytes -= len(body)
            if len(body) <= MOST_JOINED_BYTES:
                body = head + body
            else:
                self._write(head)
            self._write(body)
            del body  # before the next is copied
            if not self._turns.are_idle:  # those that wait for a turn have theirs before the next
                break
        self._unsent_bytes = self._large_bytes + (self._transport.get_write_buffer_size() if self._paused else 0)
        if self._waiting and not self._beginning and self._unsent_bytes <= MOST_UNSENT_BYTES:
            self._beginning = True
            self._loop.call_soon(self._begin_waiting, context=self._context.copy())
        self._turns.give_soon()
        if self._large and not self._paused and not self._flushing:
            self._flush_soon()

    def _write(self, content: bytes) -> None:
        assert self._transport is not None, "it is connected"
        self._written_bytes += len(content)
        self._transport.write(content)

    def _begin_waiting(self) -> None:
        """Begins some of the requests that were kept, as long as there is room for their responses."""
        self._beginning = False
        self._flushing = True  # this method flushes at its end
        while self._waiting and self._begun < MOST_BEGUN and self._unsent_bytes <= MOST_UNSENT_BYTES:
            self._begin_now(self._waiting.take_next())
        self._flush()

    def _taken(self) -> int:
        return self._written_bytes - (self._transport.get_write_buffer_size() if self._transport is not None else 0)

    def _await_progress(self) -> None:
        self._taken_bytes = self._taken()
        self._stall = self._loop.call_later(STALL_SECONDS, self._stalled)

    def _stalled(self) -> None:
        """Judges a core that has not taken all: one that takes what it can is not lost, however much is always left."""
        if self._taken() > self._taken_bytes:
            self._await_progress()
            return
        log.error("the core has taken nothing for %s s", STALL_SECONDS)
        self._abort()

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()
