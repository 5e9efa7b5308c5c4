"""Content that checks itself: bytes that only one key has, and their checksum behind them.

A client knows the key of its own request. So it finds the first byte that another client should have got, and content that ends too
early although its framing says that it is whole.
"""

from hashlib import sha256, shake_256

BLOCK_BYTES = 65_521
"""The content repeats this many bytes of SHAKE256 of its key. A prime, so that no piece or frame falls on its borders twice."""
CHECKSUM_BYTES = 64
"""Behind the content: its SHA-256 in hexadecimal digits."""
MOST_BYTES = BLOCK_BYTES
"""How much is made or compared at once."""


class WrongBytes(Exception):
    """Bytes that this request's response does not have."""


class Content:
    def __init__(self, key: str, length: int) -> None:
        self.key, self.length = key, length
        self._block = shake_256(key.encode()).digest(BLOCK_BYTES) * 2

    def part(self, begin: int, size: int) -> bytes:
        offset = begin % BLOCK_BYTES
        return self._block[offset : offset + min(size, MOST_BYTES, self.length - begin)]


class Arrival:
    """What has come of a response with some content."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._digest = sha256()
        self._behind = b""
        self.bytes = 0

    @property
    def checksum(self) -> str:
        """Of the content so far."""
        return self._digest.hexdigest()

    def take(self, data: bytes) -> None:
        """Compares at most MOST_BYTES."""
        expected = self._content.part(self.bytes, len(data)) if self.bytes < self._content.length else b""
        made, rest = data[: len(expected)], data[len(expected) :]
        self._digest.update(made)
        self._behind += rest
        if made != expected or not self.checksum.encode().startswith(self._behind):
            raise WrongBytes(f"other bytes than those of its content, from byte {self.bytes} of {self._content.length}")
        self.bytes += len(data)

    @property
    def is_whole(self) -> bool:
        return self.bytes == self._content.length + CHECKSUM_BYTES
