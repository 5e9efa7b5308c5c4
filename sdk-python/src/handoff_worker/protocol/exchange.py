"""One request and the place for its response: what engines and applications have in common."""

import threading
from collections.abc import Callable, Iterable
from typing import Protocol

from handoff_worker.protocol import frames, response_frame
from handoff_worker.protocol.frames import Head


class Outbox(Protocol):
    """The way back to the core, by the connection that brought the request."""

    body_limit: int
    """The largest body that the core takes, in bytes (PROTOCOL.md, `welcome`)."""

    @property
    def unsent_bytes(self) -> int:
        """The bytes that were put and that the core has not taken yet. Heads may be left out."""

    def put(self, request_id: int, head: bytes, body: bytes) -> None:
        """Takes the frame that answers a request. It leaves with the others of this turn."""


_cancelling = threading.Lock()
"""Held while a cancel and `on_cancel` might miss each other. One lock serves all requests, since cancels are rare."""


class Exchange:
    """
    A request as it came over the wire. Exactly one call of `answer` or `fail` answers it.

    The connection creates it. The head stays undecoded until somebody asks for a part of it, since many handlers need little of it.
    `cancel` may come on another thread than `answer` and `fail`.
    """

    __slots__ = ("_callbacks", "_head", "_json", "_line", "_outbox", "body", "cancelled", "deadline", "id")

    def __init__(self, id: int, json: bytes, body: bytes, deadline: float, outbox: Outbox) -> None:
        self.id = id
        self.body = body
        self.deadline = deadline
        """When the core stops waiting, in seconds on `time.monotonic()`."""
        self.cancelled: str | None = None
        """Why nobody waits for the response any more: `client_gone`, `deadline` or `drain`; None before a cancel."""
        self._json = json
        self._outbox: Outbox | None = outbox
        self._head: Head | None = None
        self._line: tuple[str, str] | None = None
        self._callbacks: list[Callable[[str], None]] | None = None

    @property
    def method(self) -> str:
        """As the client sent it; the letter case counts (RFC 9110 section 9.1)."""
        return (self._line or self._read_line())[0]

    @property
    def target(self) -> str:
        """As the client sent it, not decoded: origin form or `*` (RFC 9112 section 3.2)."""
        return (self._line or self._read_line())[1]

    @property
    def version(self) -> str:
        """The HTTP version of the client: `1.1` or `1.0`."""
        version: str = (self._head or self._read_head())["version"]
        return version

    @property
    def headers(self) -> list[list[str]]:
        """Pairs of a name in lower case and a value with one character for each octet (ISO-8859-1)."""
        headers: list[list[str]] = (self._head or self._read_head())["headers"]
        return headers

    @property
    def client(self) -> str:
        """The peer of the connection as `address:port`, IPv6 in brackets."""
        client: str = (self._head or self._read_head())["client"]
        return client

    @property
    def request_id(self) -> str | None:
        """What logs call the request; None where the core gives no ids."""
        return (self._head or self._read_head()).get("requestId")

    @property
    def answered(self) -> bool:
        return self._outbox is None

    @property
    def body_limit(self) -> int:
        """The largest body that the response may have, in bytes; 0 once the request is answered."""
        return self._outbox.body_limit if self._outbox is not None else 0

    @property
    def unsent_bytes(self) -> int:
        """The bytes of whole responses of this connection that the core has not taken yet; 0 once the request is answered."""
        return self._outbox.unsent_bytes if self._outbox is not None else 0

    def answer(self, status: int, headers: Iterable[tuple[str, str]], body: bytes, reason: str | None = None) -> None:
        """
        Answers the request with a response. The core computes the content length and adds the date.

        `status`: 200 to 599. `headers`: pairs of name and value. `reason`: None for the usual phrase.

        Raises `ValueError` for a status or header that the core would refuse, and for a body that is larger than the core takes;
        then nothing was sent. Raises `RuntimeError` when the request has a response already, unless it was cancelled.
        """
        outbox = self._outbox
        if outbox is None:
            if self.cancelled is not None:
                return
            raise RuntimeError("this request has a response already")
        if len(body) > outbox.body_limit:
            raise ValueError(
                f"the body has {len(body)} bytes, and the core takes {outbox.body_limit} at most (--max-response)"
            )
        head = response_frame.response_head(self.id, status, headers, len(body), reason)
        self._outbox = self._callbacks = None
        outbox.put(self.id, head, body)

    def fail(self, message: str, retry: bool = False) -> None:
        """
        Answers the request with a failure: the client gets a 500, and the core logs the message.

        `retry` promises that the request has not begun, so that another worker gets it. Does nothing on a request that is answered.
        """
        outbox = self._outbox
        if outbox is not None:
            self._outbox = self._callbacks = None
            outbox.put(self.id, frames.failure(self.id, message, retry), b"")

    def on_cancel(self, callback: Callable[[str], None]) -> None:
        """Calls `callback` with the reason when a cancel comes, on the thread that reads; at once when one has come already."""
        with _cancelling:
            if self.cancelled is None:
                self._callbacks = [*(self._callbacks or ()), callback]
                return
        callback(self.cancelled)

    def cancel(self, reason: str) -> None:
        """Called by the connection when nobody waits for the response any more. The request has to be answered all the same."""
        with _cancelling:
            if self.cancelled is not None:
                return
            self.cancelled = reason
            callbacks, self._callbacks = self._callbacks, None
        for callback in callbacks or ():
            callback(reason)

    def _read_line(self) -> tuple[str, str]:
        found = frames.request_line(self._json) if self._head is None else None
        self._line = line = found or self._line_of_head()
        return line

    def _line_of_head(self) -> tuple[str, str]:
        head = self._head or self._read_head()
        return head["method"], head["target"]

    def _read_head(self) -> Head:
        self._head = head = frames.request_head(self._json)
        return head
