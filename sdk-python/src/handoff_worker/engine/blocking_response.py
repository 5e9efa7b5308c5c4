"""The response of code that blocks and gives its body in parts."""

import threading
from collections.abc import Iterable

from handoff_worker.engine.pacer import Pacer, pacer
from handoff_worker.engine.unsent_parts import UnsentParts
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.protocol.response_stream import MOST_PIECE_BYTES


class BlockingResponse(UnsentParts):
    """
    Gathers the parts of one response. It leaves whole when it ends within 10 ms, else in pieces.

    A part that comes after a pause leaves at once. Those that come quickly behind it leave together: when they are 64 KiB, or when
    the pacer looks, which also sends them while the handler makes the next one (PEP 3333, "Buffering and Streaming").

    Only for a core that takes pieces (`Exchange.may_stream`). The thread of the handler calls the public methods but `look`, which
    is the pacer's.
    """

    __slots__ = ("_lock", "_looked", "_paced", "_pacer", "_problem", "_room")

    def __init__(
        self,
        exchange: Exchange,
        status: int,
        headers: Iterable[tuple[str, str]],
        reason: str | None = None,
        paced_by: Pacer = pacer,
    ) -> None:
        """As for `Exchange.answer`; raises `RuntimeError` for a declared length that cannot be."""
        super().__init__(exchange, status, headers, reason)
        self._pacer = paced_by
        self._lock = threading.Lock()
        self._room: threading.Event | None = None
        """Set when the thread of the handler may go on, where it waits for that."""
        self._problem: Exception | None = None
        """Why the head could not be sent, for the next call of the handler's thread."""
        self._paced = False
        """Whether the pacer looks at this response."""
        self._looked = False
        """Whether it has looked once since the first part."""

    def write(self, part: bytes) -> None:
        """
        Takes a part of the body, and waits while the client has too much to read.

        Once the request is cancelled it returns at once, and drops the part. Raises `RuntimeError` for more than the declared
        length, and `ValueError` for a status or header that the core would refuse.
        """
        self._length.add(len(part))
        if not part:
            return
        with self._lock:
            if self._problem is not None:
                problem, self._problem = self._problem, None
                raise problem
            self._keep(part)
            if self._stream is None and self._length.is_complete:
                return  # the end comes next, and all leaves whole
            quiet = not self._paced and self._stream is not None
            if not self._paced:
                self._begin_to_pace()
            if not quiet and self._bytes < MOST_PIECE_BYTES:
                return
        self._send_all()

    def give(self, part: bytes) -> None:
        """As `write`, for what the end follows at once: nothing leaves before."""
        self._length.add(len(part))
        self._keep(part)

    def end(self) -> None:
        """Ends the response, as soon as all of it has left. Raises `RuntimeError` for less than the declared length."""
        self._length.end()
        with self._lock:
            if self._stream is None and self._bytes <= self._exchange.body_limit:
                body = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
                self._exchange.answer(self._status, self._headers, body, self._reason)
                self._forget()
                return
            if self._stream is None:
                self._declare_length()
        self._send_all()
        self._exchange.end()
        if self._stream is not None:
            self._stream.flush()

    def close(self) -> None:
        """Forgets what has not left. Called when the handler is done, however it ended."""
        with self._lock:
            self._forget()

    def look(self) -> None:
        """Sends what the handler gave since the last look. After a pause, and where the client has too much to read, it is the last one."""
        with self._lock:
            if not self._looked:
                self._looked = True
                return
            try:
                goes_on = bool(self._parts) and not self._push()
            except (ValueError, TypeError) as problem:
                self._problem = problem
                goes_on = False
            if not goes_on:
                self._end_to_pace()
            stream = self._stream
        if stream is not None:
            stream.flush()

    def _begin_to_pace(self) -> None:
        self._paced = True
        self._pacer.add(self)

    def _end_to_pace(self) -> None:
        if self._paced:
            self._paced = False
            self._pacer.remove(self)

    def _send_all(self) -> None:
        """Returns when all parts have left."""
        while True:
            with self._lock:
                left = self._push()
                self._room = room = threading.Event() if left else None
                stream = self._stream
            if stream is not None:
                stream.flush()
            if room is None:
                return
            room.wait()

    def _room_came(self) -> None:
        """Called by the thread that reads, which writes what is put here. The handler may be busy for long."""
        with self._lock:
            if self._parts:
                self._push()
            if self._room is not None:
                self._room.set()

    def _push(self) -> bool:
        """Puts what may leave now. Returns whether something is left. The caller holds the lock."""
        if len(self._parts) > 1 and not self._start:
            self._parts = [b"".join(self._parts)]
        return self._send_parts(self._room_came)

    def _forget(self) -> None:
        self._drop()
        self._problem = None
        self._end_to_pace()


def send_large(
    exchange: Exchange, status: int, headers: Iterable[tuple[str, str]], body: bytes, reason: str | None
) -> None:
    """Sends in pieces what is whole and too large for one frame, and returns when all of it has left."""
    response = BlockingResponse(exchange, status, headers, reason)
    try:
        response.give(body)
        response.end()
    finally:
        response.close()
