"""A response that leaves in pieces (PROTOCOL.md, `Responses in pieces`): how much of it may leave, and when that changes."""

import threading
from collections.abc import Callable
from typing import Protocol

from handoff_worker.protocol import frames

MOST_PIECE_BYTES = 64 * 1024
"""A larger piece would hold up the responses of others on the same socket."""


class TakesTurns(Protocol):
    """A response in pieces, or a WebSocket."""

    def take_turn(self) -> bool:
        """Lets one piece leave, or one message. Returns False where nothing will."""


class PieceOutbox(Protocol):
    """The way back to the core, as far as a response in pieces uses it."""

    def put(self, request_id: int, head: bytes, body: bytes) -> None:
        """Takes the frame that answers a request. It leaves with the others of this turn."""

    def put_piece(self, request_id: int, head: bytes, body: bytes) -> None:
        """Takes a frame of a response in pieces that is not the final one."""

    @property
    def takes_pieces(self) -> bool:
        """Whether a piece may leave now. Otherwise `await_turn` tells when; the head of a response waits for nothing."""

    def await_turn(self, waiting: TakesTurns, large: bool = False) -> None:
        """Calls `take_turn` once, after those that wait already. `large`: whether more has to leave than a piece."""

    def flush_pieces(self) -> None:
        """Writes what was put, where nobody else would; never raises."""

    def stream_ends(self, request_id: int) -> None:
        """Called when the final frame of a response in pieces was put."""


def _nobody_waits() -> None:
    pass


class ResponseStream:
    """
    The pieces behind the head of one response. `Exchange.begin` creates it, and the final frame ends it, once.

    Nothing here waits: `write` says how much it took, and `when_room` tells when it may take more. Any thread may call any method.
    A cancel ends it on the thread that reads, so no piece follows the final frame.
    """

    __slots__ = ("_awaits_turn", "_credit", "_has_turn", "_id", "_lock", "_outbox", "over", "when_room")

    def __init__(self, request_id: int, outbox: PieceOutbox, credit: int) -> None:
        """`credit`: the bytes that may still leave; one piece may take it below zero."""
        self._id = request_id
        self._outbox = outbox
        self._credit = credit
        self._lock = threading.Lock()
        self._awaits_turn = self._has_turn = False
        self.over = False
        """Whether the final frame was given: what is written then is dropped."""
        self.when_room: Callable[[], None] = _nobody_waits
        """Called when credit or a turn has come, and at the end, on the thread that reads or ends."""

    @property
    def has_room(self) -> bool:
        """Whether `write` takes something. At the end it takes all."""
        return self.over or (self._credit > 0 and (self._has_turn or self._outbox.takes_pieces))

    def write(self, content: bytes, start: int = 0) -> int:
        """
        Puts as much as may leave now, in pieces, and returns where it stopped. `start`: where to begin.

        Where responses take turns it takes part in that until the rest has left, one piece a turn.
        """
        end = len(content)
        with self._lock:
            while start < end and not self.over and self.has_room:
                piece = content[start : start + MOST_PIECE_BYTES]
                start += len(piece)
                self._credit -= len(piece)
                self._has_turn = False
                self._outbox.put_piece(self._id, frames.piece(self._id, len(piece), more=True), piece)
            if self.over:
                return end
            if start < end and self._credit > 0 and not self._awaits_turn:
                self._awaits_turn = True
                self._outbox.await_turn(self)
            return start

    def take_turn(self) -> bool:
        """Lets one piece leave, whatever the outbox takes. Returns False where the response has ended."""
        with self._lock:
            self._awaits_turn = False
            self._has_turn = not self.over
        self.when_room()
        return self._has_turn

    def flush(self) -> None:
        """Writes what was put, for code that blocks; an event loop does that by itself."""
        self._outbox.flush_pieces()

    def grant(self, count: int) -> None:
        """So many more bytes may leave."""
        with self._lock:
            self._credit += count
        self.when_room()

    def finish(self, head: bytes, body: bytes = b"") -> None:
        """Puts the final frame. Does nothing when there was one."""
        with self._lock:
            if self.over:
                return
            self.over = True
            self._outbox.put(self._id, head, body)
        self._outbox.stream_ends(self._id)
        wake, self.when_room = self.when_room, _nobody_waits
        wake()
