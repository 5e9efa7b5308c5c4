"""The parts of a response that have not left, for code of either kind."""

from collections.abc import Callable, Iterable

from handoff_worker.protocol.content_length import WITHOUT_BODY, DeclaredLength
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.protocol.response_stream import MOST_PIECE_BYTES, ResponseStream


class UnsentParts:
    """
    What `AsyncResponse` and `BlockingResponse` have in common: parts that wait, and leave in pieces as the core grants credit.

    Not thread-safe: a subclass that several threads call holds its lock.
    """

    __slots__ = ("_bytes", "_exchange", "_headers", "_length", "_parts", "_reason", "_start", "_status", "_stream")

    def __init__(self, exchange: Exchange, status: int, headers: Iterable[tuple[str, str]], reason: str | None) -> None:
        """As for `Exchange.answer`; raises `RuntimeError` for a declared length that cannot be."""
        self._exchange = exchange
        self._status = status
        self._headers = tuple(headers)
        self._reason = reason
        self._length = DeclaredLength(exchange.method, status, self._headers)
        self._stream: ResponseStream | None = None
        self._parts: list[bytes] = []
        self._start = 0
        """How much of the first part has left."""
        self._bytes = 0
        """What has not left."""

    def _keep(self, part: bytes) -> None:
        self._parts.append(part)
        self._bytes += len(part)

    def _declare_length(self) -> None:
        """All of the body is here, and too large for one frame: its client may know how much comes."""
        if self._length.declared is None and self._exchange.method != "HEAD" and self._status not in WITHOUT_BODY:
            self._headers = (*self._headers, ("content-length", str(self._bytes)))

    def _send_parts(self, when_room: Callable[[], None]) -> bool:
        """
        Sends what may leave now, the head first. Returns whether something is left; nothing is where nobody waits any more.

        `when_room`: called when more may leave.
        """
        if self._stream is None and not self._begin(when_room):
            self._drop()
            return False
        assert self._stream is not None, "just begun"
        while self._parts:
            whole = len(self._parts[0])
            end = self._stream.write(self._parts[0], self._start)
            self._left_up_to(end)
            if end < whole:
                return True
        return False

    def _begin(self, when_room: Callable[[], None]) -> bool:
        """Sends the head and the first piece. Returns False where nobody waits any more."""
        first = self._parts[0][:MOST_PIECE_BYTES] if self._parts else b""
        self._stream = self._exchange.begin(self._status, self._headers, first, self._reason)
        if self._stream is None:
            return False
        self._stream.when_room = when_room
        if self._parts:
            self._left_up_to(len(first))
        return True

    def _left_up_to(self, end: int) -> None:
        """The first part has left up to there."""
        self._bytes -= end - self._start
        self._start = end
        if end == len(self._parts[0]):
            del self._parts[0]
            self._start = 0

    def _drop(self) -> None:
        self._parts.clear()
        self._bytes = self._start = 0
