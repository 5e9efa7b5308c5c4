"""WebSockets for plain functions."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from urllib.parse import urlsplit

from handoff_worker.plain.request import Request
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.protocol.web_socket import (
    MOST_REASON_BYTES,
    NORMAL,
    WebSocketLink,
    may_close_with,
)

ANY_ORIGIN = "*"


class WebSocketClosed(OSError):
    """Raised by `send` when the WebSocket is over. `code` and `reason` say how it ended (RFC 6455 section 7.4)."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"the WebSocket is closed: {code}{' ' if reason else ''}{reason}")
        self.code = code
        self.reason = reason


class WebSocket:
    """
    One WebSocket, open when the function is called. It is closed when the function returns.

        async def chat(socket: WebSocket) -> None:
            async for message in socket:
                await socket.send(message)

    `for` gives each message of the client: text as `str`, binary as `bytes`. It ends when the client has left. Belongs to the event
    loop on which the function runs, and may be used by several of its tasks.
    """

    def __init__(self, exchange: Exchange, link: WebSocketLink, subprotocol: str | None) -> None:
        self._link = link
        self._changed = asyncio.Event()
        link.when_changed = self._changed.set
        self._own_end: tuple[int, str] | None = None
        self.request = Request(exchange)
        """The request that asked for it: its path, query and headers."""
        self.subprotocol = subprotocol
        """The one that was agreed on; None for none."""

    @property
    def close_code(self) -> int | None:
        """How it ended: 1005 without a code, 1006 where the connection broke off. None while it is open."""
        end = self._own_end or self._link.closed
        return end[0] if end is not None else None

    @property
    def close_reason(self) -> str | None:
        """What the side that closed it said; None while it is open."""
        end = self._own_end or self._link.closed
        return end[1] if end is not None else None

    async def receive(self) -> str | bytes:
        """The next message. Raises `WebSocketClosed` when no more will come."""
        while True:
            message = self._link.take()
            if message is not None:
                return message
            self._raise_if_over()
            self._changed.clear()
            await self._changed.wait()

    async def __aiter__(self) -> AsyncIterator[str | bytes]:
        try:
            while True:
                yield await self.receive()
        except WebSocketClosed:
            return

    async def send(self, message: str | bytes) -> None:
        """
        Sends text or bytes, and waits while the client has too much to read.

        Raises `WebSocketClosed` when it is over, `TypeError` for anything else, and `ValueError` for a message that is larger than the
        core takes (`--max-response`).
        """
        if not isinstance(message, (str, bytes, bytearray, memoryview)):
            raise TypeError(f"a message has to be str or bytes, not {type(message).__name__}")
        self._raise_if_over()
        content = message if isinstance(message, str) else bytes(message)
        while not self._link.has_room_for(content):
            self._changed.clear()
            await self._changed.wait()
        self._raise_if_over()
        self._link.send(content)

    async def close(self, code: int = NORMAL, reason: str = "") -> None:
        """
        Closes it; does nothing where it is closed. `code`: 1000 to 1003, 1007 to 1014 or 3000 to 4999. `reason`: at most 123 bytes.

        Raises `ValueError` for what may not be sent.
        """
        if not may_close_with(code) or len(reason.encode()) > MOST_REASON_BYTES:
            raise ValueError(f"a WebSocket cannot be closed with {code} and a reason of {len(reason.encode())} bytes")
        if self.close_code is None:
            self._own_end = code, reason
            self._link.close(code, reason)
            self._changed.set()

    def _raise_if_over(self) -> None:
        end = self._own_end or self._link.closed
        if end is not None:
            raise WebSocketClosed(*end)


def is_origin_wanted(exchange: Exchange, origins: Iterable[str] | None) -> bool:
    """
    Whether a page of that origin may ask (RFC 6455 section 10.2). A client that is no browser names none, and may.

    `origins`: as for `serve`; None for the origin of the request's own host.
    """
    named = [value for name, value in exchange.headers if name == "origin"]
    if not named:
        return True
    if len(named) > 1:
        return False
    if origins is None:
        hosts = [value.lower() for name, value in exchange.headers if name == "host"]
        try:
            return urlsplit(named[0]).netloc.lower() in hosts
        except ValueError:
            return False
    return ANY_ORIGIN in origins or named[0] in origins
