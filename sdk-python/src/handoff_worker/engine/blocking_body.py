"""The body of a large request, for code that blocks."""

import threading
from io import BytesIO

from handoff_worker.protocol.request_body import RequestBody


class BlockingBody:
    """Waits for the pieces of one request. Belongs to the thread that handles it."""

    __slots__ = ("_all", "_body", "_more")

    def __init__(self, body: RequestBody) -> None:
        self._body = body
        self._all: BytesIO | None = None
        self._more = threading.Event()
        body.when_more = self._more.set

    def read(self) -> bytes:
        """The next piece, and an empty one at the end. Raises `BodyCutOff` where no more will come."""
        while True:
            self._more.clear()
            piece = self._body.take()
            if piece is not None:
                return piece
            self._body.let_others_read()
            self._more.wait()

    def read_all(self) -> bytes:
        """All pieces as one. Raises `BodyCutOff` where some will not come."""
        self._all = everything = self._all or BytesIO()  # which gives its bytes away without another copy
        while piece := self.read():
            everything.write(piece)
        return everything.getvalue()
