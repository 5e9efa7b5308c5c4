"""The body of a large request, for asynchronous code."""

from io import BytesIO

from handoff_worker.protocol.request_body import RequestBody


class AsyncBody:
    """Waits for the pieces of one request. Lives on the thread of the event loop."""

    __slots__ = ("_all", "_body", "_more")

    def __init__(self, body: RequestBody) -> None:
        from asyncio import Event  # here, since functions that block know this class as well and need no event loop

        self._body = body
        self._all: BytesIO | None = None
        self._more = Event()
        body.when_more = self._more.set

    async def read(self) -> bytes:
        """The next piece, and an empty one at the end. Raises `BodyCutOff` where no more will come."""
        while True:
            self._more.clear()
            piece = self._body.take()
            if piece is not None:
                return piece
            await self._more.wait()

    async def read_all(self) -> bytes:
        """All pieces as one. Raises `BodyCutOff` where some will not come. After a cancel it may be called again."""
        self._all = everything = self._all or BytesIO()  # which gives its bytes away without another copy
        while piece := await self.read():
            everything.write(piece)
        return everything.getvalue()


class AsyncWholeBody:
    """A body that is here, for code that asks for pieces whatever the size."""

    __slots__ = ("_left", "_whole")

    def __init__(self, whole: bytes) -> None:
        self._whole = self._left = whole

    async def read(self) -> bytes:
        """The whole, then an empty piece."""
        left, self._left = self._left, b""
        return left

    async def read_all(self) -> bytes:
        """The whole."""
        return self._whole
