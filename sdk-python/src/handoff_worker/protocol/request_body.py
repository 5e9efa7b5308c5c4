"""The body of a request that comes in pieces (PROTOCOL.md, `Requests in pieces`)."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Protocol

from handoff_worker.protocol import frames

MOST_WHOLE_BYTES = 1024 * 1024
"""A larger body comes in pieces."""

CREDIT_BYTES = 256 * 1024
"""What a request holds of its body at most, besides one piece, until the application takes it."""

STEP_BYTES = CREDIT_BYTES // 2
"""Credit is granted for so much at once."""

MOST_APART = 64
"""When so many pieces wait, small ones are joined: a client may send a byte at a time, and each object takes forty more."""

JOINED_BYTES = 4096
"""They are joined up to here."""


class BodyCutOff(OSError):
    """Raised where the application wants more of a body that nobody sends any more. The message says why."""


class CreditOutbox(Protocol):
    """The way back to the core, as far as the body of a request uses it."""

    def put_piece(self, request_id: int, head: bytes, body: bytes) -> None:
        """Takes a frame that does not answer the request."""

    def flush_pieces(self) -> None:
        """Writes what was put, where nobody else would; never raises."""

    def piece_awaited(self, request_id: int) -> None:
        """Called by a thread that is about to wait for a piece of its request: another one has to read."""


def _nobody_waits() -> None:
    pass


class RequestBody:
    """
    The pieces that have come and that the application has not taken. What it takes, it grants as credit.

    Nothing here waits: `take` says what there is, and `when_more` tells when there is more. The thread that reads the socket adds
    pieces; one thread of the application takes them.
    """

    __slots__ = ("_cut_off", "_id", "_is_whole", "_lock", "_outbox", "_pieces", "_taken_bytes", "when_more")

    def __init__(self, request_id: int, outbox: CreditOutbox) -> None:
        self._id = request_id
        self._outbox = outbox
        self._lock = threading.Lock()
        self._pieces: deque[bytes | bytearray] = deque()
        self._taken_bytes = 0
        """What was taken since the last credit."""
        self._is_whole = False
        """Whether all pieces have come."""
        self._cut_off: str | None = None
        """Why nothing more can be taken."""
        self.when_more: Callable[[], None] = _nobody_waits
        """Called when `take` gives something else than before, on the thread that reads or answers."""

    @property
    def is_at_end(self) -> bool:
        """Whether all was taken."""
        return self._is_whole and not self._pieces

    def add(self, piece: bytes, more: bool) -> None:
        """Takes a piece from the core. `more`: whether another one follows. It is dropped where nobody wants it any more."""
        with self._lock:
            if self._cut_off is None:
                if piece:
                    self._keep(piece)
                self._is_whole = not more
        self.when_more()

    def take(self) -> bytes | None:
        """The next piece; an empty one at the end of the body, and None where it has to be waited for. Raises `BodyCutOff`."""
        with self._lock:
            if self._cut_off is not None:
                raise BodyCutOff(self._cut_off)
            if not self._pieces:
                return b"" if self._is_whole else None
            piece = bytes(self._pieces.popleft())
            grant = self._to_grant(len(piece))
        if grant:
            self._outbox.put_piece(self._id, frames.credit(self._id, grant), b"")
            self._outbox.flush_pieces()
        return piece

    def let_others_read(self) -> None:
        """Called before a thread waits for `when_more`; an event loop reads by itself."""
        self._outbox.piece_awaited(self._id)

    def cut_off(self, why: str) -> None:
        """Drops what was not taken, and all that still comes. `why`: what `take` says from now on."""
        with self._lock:
            if self._cut_off is None and not self.is_at_end:
                self._cut_off = why
                self._pieces.clear()
        wake, self.when_more = self.when_more, _nobody_waits
        wake()

    def _keep(self, piece: bytes) -> None:
        last = self._pieces[-1] if len(self._pieces) >= MOST_APART else None
        if last is None or len(last) + len(piece) > JOINED_BYTES:
            self._pieces.append(piece)
        elif isinstance(last, bytearray):
            last += piece
        else:
            self._pieces[-1] = bytearray(last) + piece

    def _to_grant(self, count: int) -> int:
        """Counts what was taken, and returns the credit that is due. A body that is whole needs none."""
        self._taken_bytes += count
        if self._is_whole or self._taken_bytes < STEP_BYTES:
            return 0
        grant, self._taken_bytes = self._taken_bytes, 0
        return grant
