"""The `wsgi.file_wrapper` of PEP 3333 ("Optional Platform-Specific File Handling"): the server reads the file in one piece."""

from collections.abc import Iterator
from typing import Any, Protocol


class Readable(Protocol):
    """A file, as far as an application has to give one."""

    def read(self, size: int, /) -> bytes: ...


class FileWrapper:
    """An iterable over a file, for middleware. The server takes `file` from it and reads that."""

    def __init__(self, file: Readable, block_bytes: int = 8192) -> None:
        """`block_bytes`: the size of the parts that iterating gives."""
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
