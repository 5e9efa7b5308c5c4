"""A WebSocket (PROTOCOL.md, `WebSockets`): whole messages both ways, and how many may come and leave."""

from collections import deque
from collections.abc import Callable
from typing import Protocol

from handoff_worker.protocol import frames
from handoff_worker.protocol.request_body import CREDIT_BYTES
from handoff_worker.protocol.response_stream import MOST_PIECE_BYTES, TakesTurns

MESSAGE_COST_BYTES = 64
"""What a message costs of the credit besides its bytes."""

SMALL_BYTES = 16 * 1024
"""
Messages of up to so many bytes take no turns, unless so many of them are unsent that they hold up others. Larger ones leave in
fragments of so many.
"""

MOST_BYTES_PER_CHARACTER = 4
"""In UTF-8."""

MOST_REASON_BYTES = 123
"""A close frame has no room for more (RFC 6455 section 5.5)."""

NORMAL, GOING_AWAY, NO_CODE, ABNORMAL, INTERNAL_ERROR = 1000, 1001, 1005, 1006, 1011


class MessageTooLarge(ValueError):
    """Raised for a message that the core does not take. Nothing was sent."""


class MessageOutbox(Protocol):
    """The way back to the core, as far as a WebSocket uses it."""

    body_limit: int
    """The largest message that the core takes, in bytes (PROTOCOL.md, `welcome`)."""
    takes_fragments: bool
    """Whether the core takes messages in fragments."""

    def put(self, request_id: int, head: bytes, body: bytes) -> None:
        """Takes the final frame. It leaves with the others of this turn."""

    def put_piece(self, request_id: int, head: bytes, body: bytes) -> None:
        """Takes any other frame."""

    @property
    def takes_pieces(self) -> bool:
        """Whether more than a small message may leave now. Otherwise `await_turn` tells when."""

    @property
    def takes_small_messages(self) -> bool:
        """Whether a small message may leave now. Otherwise `await_turn` tells when."""

    def await_turn(self, waiting: TakesTurns, large: bool = False) -> None:
        """Calls `take_turn` once, after those that wait already. `large`: whether more has to leave than a piece."""


def may_close_with(code: int) -> bool:
    """Whether a close may have this code (RFC 6455 section 7.4)."""
    return 1000 <= code <= 1003 or 1007 <= code <= 1014 or 3000 <= code <= 4999


def _nobody_waits() -> None:
    pass


class WebSocketLink:
    """
    What the client sent and has not been taken, and how much may be sent to it. `Exchange.accept` creates it.

    A large message leaves in fragments, as credit and turns allow, and what is left of it waits here. So the pieces of responses and
    the messages of others need not wait behind it, and a client that takes nothing has no more of it than its credit.

    Nothing here waits: `when_changed` tells that a message, room or the end has come. Lives on the thread of the event loop.
    """

    __slots__ = (
        "_awaits_turn",
        "_credit",
        "_has_turn",
        "_id",
        "_last",
        "_messages",
        "_outbox",
        "_rest",
        "_ungranted",
        "closed",
        "over",
        "when_changed",
    )

    def __init__(self, request_id: int, outbox: MessageOutbox, credit: int) -> None:
        """`credit`: the bytes that may be sent; one message may take it below zero."""
        self._id = request_id
        self._outbox = outbox
        self._credit = credit
        self._awaits_turn = self._has_turn = False
        self._messages: deque[tuple[str | bytes, int]] = deque()
        """Each with its size in bytes."""
        self._ungranted = 0
        """What the messages cost that were taken since the core got credit."""
        self._rest: _Fragments | None = None
        """What is left of the message that is leaving."""
        self._last: bytes | None = None
        """The final frame, where it has to wait for that."""
        self.closed: tuple[int, str] | None = None
        """Code and reason, once the client or the core has ended it."""
        self.over = False
        """Whether it was ended. What is sent then is dropped."""
        self.when_changed: Callable[[], None] = _nobody_waits

    def has_room_for(self, message: str | bytes) -> bool:
        """
        Whether the message may be sent. At the end any is, to be dropped. If not, `when_changed` tells when to ask again.

        A large message takes a turn when the core does not take all at once: the responses of others would wait behind it. So does a
        small one where many are unsent: hundreds of WebSockets may have 64 KiB of credit each, in messages of a few bytes.
        """
        if self.over:
            return True
        if self._credit <= 0 or self._rest is not None:
            return False
        if self._has_turn:
            return True
        if self._awaits_turn:  # behind one that waits already
            return False
        if self._outbox.takes_small_messages if len(message) <= SMALL_BYTES else self._outbox.takes_pieces:
            return True
        self._await_turn(len(message))
        return False

    def _await_turn(self, size: int) -> None:
        self._awaits_turn = True
        self._outbox.await_turn(self, large=size > MOST_PIECE_BYTES)

    def take_turn(self) -> bool:
        """Lets one message leave, or a part of one. Returns False where nothing will."""
        self._awaits_turn = False
        if self._rest is not None:
            self._has_turn = True
            self._send_rest()
            return True
        self._has_turn = not self.over
        self.when_changed()
        return self._has_turn

    def send(self, message: str | bytes) -> None:
        """Sends a text or a binary message. Only while it `has_room_for` that. Raises `MessageTooLarge`."""
        if self.over:
            return
        body = message.encode() if isinstance(message, str) else message
        if len(body) > self._outbox.body_limit:
            raise MessageTooLarge(
                f"the message has {len(body)} bytes, and the core takes {self._outbox.body_limit} at most (--max-response)"
            )
        if len(body) <= SMALL_BYTES or not self._outbox.takes_fragments:
            self._has_turn = False
            self._put(body, isinstance(message, str), more=False)
        else:
            self._rest = _Fragments(message)
            self._send_rest()

    def _put(self, body: bytes, text: bool, more: bool) -> None:
        self._credit -= len(body) + MESSAGE_COST_BYTES
        self._outbox.put_piece(self._id, frames.message(self._id, len(body), text, more), body)

    def _send_rest(self) -> None:
        """Sends as much of the message as may leave now, and awaits a turn where that is all that is missing for more."""
        rest = self._rest
        while rest is not None and self._credit > 0 and (self._has_turn or self._outbox.takes_pieces):
            self._has_turn = False
            turn_bytes = 0
            while turn_bytes < MOST_PIECE_BYTES and self._credit > 0 and rest.left > 0:
                body = rest.take()
                turn_bytes += len(body)
                self._put(body, rest.text, more=rest.left > 0)
            if rest.left == 0:
                self._rest = rest = None
                if self._last is not None:
                    self._outbox.put(self._id, self._last, b"")
                else:
                    self.when_changed()
        if rest is not None and self._credit > 0 and not self._awaits_turn:
            self._await_turn(rest.left)

    def take(self) -> str | bytes | None:
        """The next message; None where there is none, at the moment or at all."""
        if not self._messages:
            return None
        message, size = self._messages.popleft()
        if not self.over:
            self._ungranted += size + MESSAGE_COST_BYTES
            if self._ungranted >= CREDIT_BYTES // 2:
                self._outbox.put_piece(self._id, frames.credit(self._id, self._ungranted), b"")
                self._ungranted = 0
        return message

    def close(self, code: int = NORMAL, reason: str = "") -> None:
        """Ends it. The client gets what was sent before, if it takes that. Does nothing when it is over."""
        self._end(frames.close(self._id, code, reason))

    def finish(self, frame: bytes) -> None:
        """Ends it with another final frame. Does nothing when it is over."""
        self._end(frame)

    def _end(self, frame: bytes) -> None:
        if self.over:
            return
        self.over = True
        if self._rest is None:
            self._outbox.put(self._id, frame, b"")
        else:
            self._last = frame
        wake, self.when_changed = self.when_changed, _nobody_waits
        wake()

    def message_came(self, message: str | bytes, size: int) -> None:
        """Called by the connection. `size`: in bytes."""
        if not self.over:
            self._messages.append((message, size))
            self.when_changed()

    def grant(self, count: int) -> None:
        """Called by the connection: so much more may be sent."""
        self._credit += count
        if self._rest is not None:
            self._send_rest()
        self.when_changed()

    def close_came(self, code: int, reason: str) -> None:
        """Called by the connection: the client is gone, or the core had to end it. It is answered at once."""
        last, self._rest, self._last = self._last, None, None
        if last is not None:  # it waited for the client to take what came before
            self._outbox.put(self._id, last, b"")
        elif self.closed is None and not self.over:
            self.closed = code, reason
            self._end(frames.close(self._id, None, ""))


class _Fragments:
    """What is left of a message. A text is encoded bit by bit, so that a broadcast is not in memory once for each client."""

    __slots__ = ("_at", "_message", "_step", "left", "text")

    def __init__(self, message: str | bytes) -> None:
        self._message = message
        self._at = 0
        self.left = len(message)
        """Characters, or bytes."""
        self.text = isinstance(message, str)
        is_wide = isinstance(message, str) and not message.isascii()
        self._step = SMALL_BYTES // MOST_BYTES_PER_CHARACTER if is_wide else SMALL_BYTES

    def take(self) -> bytes:
        """The next fragment."""
        part = self._message[self._at : self._at + self._step]
        self._at += len(part)
        self.left -= len(part)
        return part.encode() if isinstance(part, str) else part
