"""One request and the place for its response: what engines and applications have in common."""

import threading
from collections.abc import Callable, Iterable
from typing import Protocol

from handoff_worker.protocol import frames, response_frame
from handoff_worker.protocol.frames import Head
from handoff_worker.protocol.request_body import CreditOutbox, RequestBody
from handoff_worker.protocol.response_stream import MOST_PIECE_BYTES, PieceOutbox, ResponseStream
from handoff_worker.protocol.web_socket import ABNORMAL, WebSocketLink


class Outbox(PieceOutbox, CreditOutbox, Protocol):
    """The way back to the core, by the connection that brought the request."""

    body_limit: int
    """The largest body that the core takes, in bytes (PROTOCOL.md, `welcome`)."""
    stream_bytes: int
    """The credit that each response in pieces begins with; 0 where the core takes whole responses only."""
    takes_fragments: bool
    """Whether the core takes messages of WebSockets in fragments."""

    @property
    def unsent_bytes(self) -> int:
        """The bytes that were put and that the core has not taken yet. Heads may be left out."""

    @property
    def takes_small_messages(self) -> bool:
        """As `MessageOutbox` says."""

    def stream_begins(self, exchange: "Exchange") -> None:
        """Called before the head of a response in pieces is put. From now on credit and cancels must reach the exchange."""


class BodyTooLarge(ValueError):
    """Raised for a body that the core does not take in one frame. Nothing was sent."""


_cancelling = threading.Lock()
"""Held while a cancel and `on_cancel` might miss each other. One lock serves all requests, since cancels are rare."""


class Exchange:
    """
    A request as it came over the wire. Exactly one call of `answer`, `end` or `fail` answers it.

    The connection creates it. The head stays undecoded until somebody asks for a part of it, since many handlers need little of it.
    `cancel` may come on another thread than `answer` and `fail`.
    """

    __slots__ = (
        "_callbacks",
        "_head",
        "_line",
        "_outbox",
        "_stream",
        "body",
        "cancelled",
        "deadline",
        "id",
        "json",
        "web_socket",
    )

    pieces: RequestBody | None = None
    """The body, where it comes in pieces: then this is a `LargeExchange`."""

    def __init__(self, id: int, json: bytes, body: bytes, deadline: float, outbox: Outbox) -> None:
        self.id = id
        self.body = body
        self.deadline = deadline
        """When the core stops waiting, in seconds on `time.monotonic()`."""
        self.cancelled: str | None = None
        """Why nobody waits for the response any more: `client_gone`, `deadline` or `drain`; None before a cancel."""
        self.json = json
        """The head as it came, not decoded."""
        self._outbox: Outbox | None = outbox
        self._head: Head | None = None
        self._line: tuple[str, str] | None = None
        self._callbacks: list[Callable[[str], None]] | None = None
        self._stream: ResponseStream | None = None
        self.web_socket: WebSocketLink | None = None
        """What it has become, once it was accepted. It stays when that is over."""

    @property
    def head(self) -> Head:
        """All of the head at once (PROTOCOL.md, `request`), for those who need most of it."""
        return self._head or self._read_head()

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
    def scheme(self) -> str:
        """What the client has spoken: `http`, or `https` over TLS or where a trusted proxy says so."""
        return (self._head or self._read_head()).get("scheme") or "http"

    @property
    def client_certificate(self) -> str | None:
        """The certificate that the client has shown, DER in base64. None if it has shown none."""
        return (self._head or self._read_head()).get("clientCertificate")

    @property
    def client_subject(self) -> str | None:
        """Whose certificate it is, as RFC 4514 writes names."""
        return (self._head or self._read_head()).get("clientSubject")

    @property
    def prefix(self) -> str:
        """The first characters of the target, below which the route serves this application, not decoded; empty for the root."""
        return (self._head or self._read_head()).get("prefix") or ""

    @property
    def request_id(self) -> str | None:
        """What logs call the request; None where the core gives no ids."""
        return (self._head or self._read_head()).get("requestId")

    @property
    def subprotocols(self) -> list[str] | None:
        """Those that the client offers with its handshake, the one it likes best first. None unless it asks for a WebSocket."""
        subprotocols: list[str] | None = (self._head or self._read_head()).get("websocket")
        return subprotocols

    @property
    def asks_for_web_socket(self) -> bool:
        """As `subprotocols`, for those who need no other part of the head."""
        return b'"websocket"' in self.json and self.subprotocols is not None

    @property
    def answered(self) -> bool:
        return self._outbox is None or (self.web_socket is not None and self.web_socket.over)

    @property
    def body_limit(self) -> int:
        """The largest body that the response may have, in bytes; 0 once the request is answered."""
        return self._outbox.body_limit if self._outbox is not None else 0

    @property
    def unsent_bytes(self) -> int:
        """The bytes of whole responses of this connection that the core has not taken yet; 0 once the request is answered."""
        return self._outbox.unsent_bytes if self._outbox is not None else 0

    @property
    def may_stream(self) -> bool:
        """Whether the core takes the response in pieces."""
        return self._outbox is not None and self._outbox.stream_bytes > 0

    @property
    def streams(self) -> bool:
        """Whether the response has begun to leave in pieces, and has not ended."""
        return self._stream is not None

    def answer(self, status: int, headers: Iterable[tuple[str, str]], body: bytes, reason: str | None = None) -> None:
        """
        Answers the request with a response. The core computes the content length and adds the date.

        `status`: 200 to 599. `headers`: pairs of name and value. `reason`: None for the usual phrase.

        Raises `ValueError` for a status or header that the core would refuse, and `BodyTooLarge` for a body that is larger than the
        core takes; then nothing was sent. Raises `RuntimeError` when the request has a response already, unless it was cancelled.
        """
        outbox = self._outbox
        if outbox is None:
            if self.cancelled is not None:
                return
            raise RuntimeError("this request has a response already")
        if len(body) > outbox.body_limit:
            raise BodyTooLarge(
                f"the body has {len(body)} bytes, and the core takes {outbox.body_limit} at most (--max-response)"
            )
        head = response_frame.response_head(self.id, status, headers, len(body), reason)
        self._outbox = self._callbacks = None
        outbox.put(self.id, head, body)

    def begin(
        self, status: int, headers: Iterable[tuple[str, str]], first: bytes, reason: str | None = None
    ) -> ResponseStream | None:
        """
        Begins a response in pieces, which `end` or `fail` ends. Call it only where `may_stream`.

        `first`: the first piece, of 64 KiB at most; it may be empty. The rest is as for `answer`, with the content length of the
        headers. Returns None when nobody waits any more; then the request still has to be answered.
        """
        outbox = self._outbox
        if outbox is None or self._stream is not None:
            if self.cancelled is not None:
                return None
            raise RuntimeError("this request has a response already")
        assert len(first) <= MOST_PIECE_BYTES, "too large for a piece"
        head = response_frame.response_head(self.id, status, headers, len(first), reason, more=True)
        outbox.stream_begins(self)
        stream = ResponseStream(self.id, outbox, outbox.stream_bytes - len(first))
        with _cancelling:  # a cancel comes before the head, which then stays here, or ends what has begun
            if self.cancelled is not None:
                return None
            self._stream = stream
            outbox.put_piece(self.id, head, first)
        return stream

    def accept(self, headers: Iterable[tuple[str, str]]) -> WebSocketLink | None:
        """
        Makes a WebSocket of the request, which its `close` or `fail` ends. Call it only where the client asks for one.

        `headers` may name one of the offered subprotocols as `sec-websocket-protocol`. Returns None when nobody waits any more; then
        the request still has to be answered.
        """
        outbox = self._outbox
        if outbox is None or self.web_socket is not None:
            if self.cancelled is not None:
                return None
            raise RuntimeError("this request has a response already")
        if self.cancelled is not None:
            return None
        head = response_frame.switch_head(self.id, headers)
        self.web_socket = WebSocketLink(self.id, outbox, outbox.stream_bytes)
        outbox.put_piece(self.id, head, b"")
        return self.web_socket

    def end(self, last: bytes = b"") -> None:
        """
        Ends a response in pieces; does nothing where it has ended, and where none has begun.

        `last`: the last piece, of 64 KiB at most. Unless it is empty there has to be credit for it.
        """
        assert len(last) <= MOST_PIECE_BYTES, "too large for a piece"
        self._finish(frames.piece(self.id, len(last), more=False), last)

    def grant(self, count: int) -> None:
        """Called by the connection: so many more bytes of the response may leave."""
        stream = self._stream
        if stream is not None:
            stream.grant(count)
        elif self.web_socket is not None:
            self.web_socket.grant(count)

    def fail(self, message: str, retry: bool = False) -> None:
        """
        Answers the request with a failure: the client gets a 500, and the core logs the message. Once a response in pieces has
        begun, the client is cut off.

        `retry` promises that the request has not begun, so that another worker gets it. Does nothing on a request that is answered.
        """
        outbox = self._outbox
        if outbox is None:
            return
        frame = frames.failure(self.id, message, retry)
        if self._stream is not None:
            self._finish(frame)
        elif self.web_socket is not None:
            self._outbox = self._callbacks = None
            self.web_socket.finish(frame)
        else:
            self._outbox = self._callbacks = None
            outbox.put(self.id, frame, b"")

    def on_cancel(self, callback: Callable[[str], None]) -> None:
        """Calls `callback` with the reason when a cancel comes, on the thread that reads; at once when one has come already."""
        with _cancelling:
            if self.cancelled is None:
                self._callbacks = [*(self._callbacks or ()), callback]
                return
        callback(self.cancelled)

    def cancel(self, reason: str) -> None:
        """
        Called by the connection when nobody waits for the response any more.

        A response in pieces ends here and now. Any other request has to be answered all the same.
        """
        with _cancelling:
            if self.cancelled is not None:
                return
            self.cancelled = reason
            callbacks, self._callbacks = self._callbacks, None
        if self._stream is not None:
            self.end()
        if self.web_socket is not None:
            self.web_socket.close_came(ABNORMAL, "")
        for callback in callbacks or ():
            callback(reason)

    def _finish(self, head: bytes, body: bytes = b"") -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            self._outbox = self._callbacks = None
            stream.finish(head, body)

    def _read_line(self) -> tuple[str, str]:
        found = frames.request_line(self.json) if self._head is None else None
        self._line = line = found or self._line_of_head()
        return line

    def _line_of_head(self) -> tuple[str, str]:
        head = self._head or self._read_head()
        return head["method"], head["target"]

    def _read_head(self) -> Head:
        self._head = head = frames.request_head(self.json, self.pieces is not None)
        return head
