"""The `wsgi.input` of PEP 3333 ("Input and Error Streams")."""

from io import BufferedReader, BytesIO, RawIOBase
from typing import BinaryIO, cast

from handoff_worker.engine.blocking_body import BlockingBody
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.protocol.request_body import RequestBody

BUFFER_BYTES = 64 * 1024
"""As much as a piece has, so that most are copied once."""


def input_of(exchange: Exchange) -> BinaryIO:
    """The body as a file. That of a large request waits for its pieces, and raises `OSError` where no more will come."""
    if exchange.pieces is None:
        return BytesIO(exchange.body)
    return cast(BinaryIO, BufferedReader(PiecesFile(exchange.pieces), BUFFER_BYTES))


class PiecesFile(RawIOBase):
    """The pieces of a large request, without a buffer."""

    def __init__(self, body: RequestBody) -> None:
        self._body = BlockingBody(body)
        self._piece = memoryview(b"")
        """What was not read of the piece that came last."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Waits for a piece where nothing is left of the last one; returns 0 at the end. Raises `BodyCutOff`."""
        if not self._piece:
            self._piece = memoryview(self._body.read())
        count = min(len(buffer), len(self._piece))
        buffer[:count] = self._piece[:count]
        self._piece = self._piece[count:]
        return count
