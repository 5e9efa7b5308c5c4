"""A request whose body comes in pieces, and the place for its response."""

from collections.abc import Callable, Iterable

from handoff_worker.protocol.exchange import Exchange, Outbox
from handoff_worker.protocol.frames import RequestFrame
from handoff_worker.protocol.request_body import RequestBody

ANSWERED = "the request has its response, so the rest of its body was dropped"


class LargeExchange(Exchange):
    """
    As `Exchange`, but `pieces` has the body, and `body` is empty. It begins while the pieces come.

    The response may come before the last piece: then the rest of the body is dropped.
    """

    __slots__ = ("_when_dropped", "pieces")

    def __init__(
        self, request: RequestFrame, received_at: float, outbox: Outbox, when_dropped: Callable[[int], object]
    ) -> None:
        """
        `received_at`: in seconds on `time.monotonic()`. `when_dropped`: called with the id when nobody wants more pieces, on the
        thread that answers.
        """
        request_id, millis, json, first = request
        super().__init__(request_id, json, b"", received_at + millis / 1000, outbox)
        self._when_dropped = when_dropped
        self.pieces: RequestBody = RequestBody(request_id, outbox)
        self.pieces.add(first, more=True)

    def answer(self, status: int, headers: Iterable[tuple[str, str]], body: bytes, reason: str | None = None) -> None:
        super().answer(status, headers, body, reason)
        self._drop_rest(ANSWERED)

    def fail(self, message: str, retry: bool = False) -> None:
        super().fail(message, retry)
        self._drop_rest(ANSWERED)

    def cancel(self, reason: str) -> None:
        try:
            super().cancel(reason)
        finally:
            self._drop_rest(f"the request was cancelled before its body was read: {reason}")

    def _finish(self, head: bytes, body: bytes = b"") -> None:
        super()._finish(head, body)
        self._drop_rest(ANSWERED)

    def _drop_rest(self, why: str) -> None:
        self._when_dropped(self.id)
        self.pieces.cut_off(why)
