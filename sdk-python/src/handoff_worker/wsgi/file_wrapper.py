"""PEP 3333's "Optional Platform-Specific File Handling", which here means: in one read."""

from collections.abc import Iterator
from typing import Any, Protocol


class Readable(Protocol):
    """What an application hands over as a file."""

    def read(self, size: int, /) -> bytes: ...


class FileWrapper:
    """An iterable over a file; the server takes the whole file from it instead."""

    def __init__(self, file: Readable, block_bytes: int = 8192) -> None:
        self.file = file
        self._block_bytes = block_bytes

    def __iter__(self) -> Iterator[bytes]:
        while block := self.file.read(self._block_bytes):
            yield block

    def close(self) -> None:
        """Closes the file, where it can be closed."""
        close: Any = getattr(self.file, "close", None)
        if close is not None:
            close()
