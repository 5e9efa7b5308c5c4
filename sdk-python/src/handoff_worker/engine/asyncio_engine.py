"""The engine for asynchronous code: one event loop, on which the application runs as well."""

import asyncio
import socket
import time
from typing import cast

from handoff_worker.engine.application import AsyncApplication
from handoff_worker.engine.failure_log import tell_failure
from handoff_worker.engine.memory_report import MemoryReport
from handoff_worker.log.logger import log
from handoff_worker.protocol.connection import LEAVING, WELCOME_SECONDS, Connection
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.protocol.frames import FrameReader, capacity
from handoff_worker.protocol.outbox import MOST_JOINED_BYTES

STALL_SECONDS = 30
"""A core that takes no bytes for so long counts as lost."""


class AsyncEngine(asyncio.Protocol):
    """
    Serves one connection, on the thread of the event loop.

    Requests begin in the turn of the loop in which they are read. All responses of a turn leave in one write. The engine is also
    the outbox of its exchanges.
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
        self._reader = FrameReader()
        self._parts: list[bytes] = []
        self._parts_bytes = 0
        """The bytes of the bodies among them."""
        self._flushing = False
        self._serving = False
        self._stall: asyncio.TimerHandle | None = None
        self._greeted: asyncio.Future[bool] = self._loop.create_future()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._transport: asyncio.Transport | None = None
        self.connection = Connection(self._send)
        self.body_limit = 0

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
        """Tells the core that this worker drains. Does nothing when all is over."""
        self.connection.leave()

    @property
    def unsent_bytes(self) -> int:
        return self._parts_bytes + (self._transport.get_write_buffer_size() if self._transport is not None else 0)

    def put(self, request_id: int, head: bytes, body: bytes) -> None:
        self._parts += (head, body)
        self._parts_bytes += len(body)
        self.connection.in_flight.pop(request_id, None)
        if not self._flushing:
            self._flushing = True
            self._loop.call_soon(self._flush)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._flushing = True  # this method flushes at its end
        now = time.monotonic()
        for message in self._reader.feed(data):
            if isinstance(message, tuple):
                request_id, millis, json, body = message
                self._begin(Exchange(request_id, json, body, now + millis / 1000, self))
            else:
                self.connection.take(message)
        if self._reader.fault is not None:
            log.error("the core sent %s, so the connection ends", self._reader.fault)
            self._abort()
        if self._serving and self._memory.is_due(now):
            self._parts.append(capacity(self._concurrency, self._memory.take()))
        if not self._greeted.done() and (self.connection.welcomed or self.connection.refused):
            self.body_limit = self.connection.body_limit
            self._greeted.set_result(self.connection.welcomed)
        self._flush()

    def pause_writing(self) -> None:
        self._stall = self._loop.call_later(STALL_SECONDS, self._stalled)

    def resume_writing(self) -> None:
        if self._stall is not None:
            self._stall.cancel()

    def connection_lost(self, problem: Exception | None) -> None:
        if problem is not None:
            log.warning("the core is gone: %s", problem)
        self.resume_writing()
        self.connection.cancel_all()
        for future, result in ((self._greeted, False), (self._ended, None)):
            if not future.done():
                future.set_result(result)  # type: ignore[arg-type]

    def _begin(self, exchange: Exchange) -> None:
        if self.connection.leaving:
            exchange.fail(LEAVING, retry=True)
            return
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

    def _flush(self) -> None:
        self._flushing = False
        if not self._parts or self._transport is None:
            return
        parts, self._parts = self._parts, []
        if self._parts_bytes <= MOST_JOINED_BYTES:
            self._transport.write(b"".join(parts))
        else:
            parts.reverse()
            while parts:  # so that each body is freed before the next is copied
                self._transport.write(parts.pop())
        self._parts_bytes = 0

    def _stalled(self) -> None:
        log.error("the core has taken nothing for %s s", STALL_SECONDS)
        self._abort()

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()
