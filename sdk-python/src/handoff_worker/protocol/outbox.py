"""The way out of a blocking socket. Frames that many threads put in leave together, and whole."""

import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress

from handoff_worker.protocol.exchange import Exchange
from handoff_worker.protocol.response_stream import TakesTurns

STALL_SECONDS = 30
"""A core that takes no bytes for so long counts as lost."""

MOST_JOINED_BYTES = 256 * 1024
"""Frames of so many bytes together are copied into one write. Larger ones cost less with a write each."""

LARGE_BYTES = 64 * 1024
"""A larger body is kept apart from others until it leaves."""

MOST_UNSENT_BYTES = 8 * 1024 * 1024
"""While the core has not taken so much, no more requests begin: their responses would only fill the memory."""


class SocketOutbox:
    """
    Gathers frames and writes them. Any thread may put and flush, and so may a signal handler in the middle of either.

    So nothing here waits for a lock. A thread that finds another one writing leaves its frames to that one, which looks again when
    it is done.
    """

    def __init__(self, core: socket.socket) -> None:
        self._core = core
        self._parts: list[bytes] = []  # always the same list, since another thread may be about to append to it
        self._writing = threading.Lock()
        self._has_large = False
        self.body_limit = 0
        self.stream_bytes = 0
        self.takes_fragments = False
        # These are the engine's, which knows the threads.
        self.stream_begins: Callable[[Exchange], None] = lambda exchange: None
        self.stream_ends: Callable[[int], None] = lambda request_id: None
        self.piece_awaited: Callable[[int], None] = lambda request_id: None
        core.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", STALL_SECONDS, 0))

    @property
    def unsent_bytes(self) -> int:
        """As `Outbox` says, without what a thread is writing at this moment."""
        return sum(map(len, self._parts))

    def put(self, request_id: int, head: bytes, body: bytes) -> None:
        """Takes a frame, which the next `flush` writes."""
        self._parts.extend((head, body))
        if len(body) > LARGE_BYTES:
            self._has_large = True

    @property
    def is_full(self) -> bool:
        """Whether so much is unsent that no more requests should begin."""
        return self._has_large and self.unsent_bytes > MOST_UNSENT_BYTES

    def put_piece(self, request_id: int, head: bytes, body: bytes) -> None:
        """Takes a frame that answers nothing, which the next `flush` writes."""
        self._parts.extend((head, body))

    @property
    def takes_pieces(self) -> bool:
        """Always, since a thread that writes waits for the core."""
        return True

    @property
    def takes_small_messages(self) -> bool:
        """Never asked: a thread has no WebSocket."""
        return True

    def await_turn(self, waiting: TakesTurns, large: bool = False) -> None:
        """Never called, as pieces are always taken."""

    def flush_pieces(self) -> None:
        """As `flush`, on the thread of a handler. Where the core is gone, the thread that reads comes to know."""
        try:
            self.flush()
        except OSError:
            with suppress(OSError):
                self._core.shutdown(socket.SHUT_RDWR)

    def send(self, frame: bytes) -> None:
        """Takes a frame and writes it at once, with all others. Raises `OSError` when the core is gone."""
        self._parts.append(frame)
        self.flush()

    def flush(self) -> None:
        """Writes all frames that were put, unless another thread is writing. Raises `OSError` when the core is gone."""
        while self._parts and self._writing.acquire(blocking=False):
            try:
                self._write()
            finally:
                self._writing.release()

    def make_room(self) -> None:
        """As `flush`, but waits for a thread that is writing. Not for signal handlers."""
        with self._writing:
            pass
        self.flush()

    def _write(self) -> None:
        self._has_large = False
        taken = self._parts[:]
        del self._parts[: len(taken)]
        if sum(map(len, taken)) <= MOST_JOINED_BYTES:
            self._core.sendall(b"".join(taken))
            return
        taken.reverse()
        while taken:  # so that each body is freed when it has left
            self._core.sendall(taken.pop())
