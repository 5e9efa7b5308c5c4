"""Compares the length that an application declares with the body that it gave."""

from collections.abc import Iterable

from handoff_worker.protocol.exchange import Exchange

WITHOUT_BODY = (204, 304)


def contradiction(exchange: Exchange, status: int, headers: Iterable[tuple[str, str]], body_bytes: int) -> str | None:
    """
    Says how a Content-Length differs from the body; None where it does not.

    The core computes the length that it sends, so a wrong one never reaches a client. But it means that a part of the body was
    lost, which the author of the application wants to know. A response to HEAD rightly has the length that GET would have, and 204
    and 304 have no body (RFC 9110 section 8.6).
    """
    for name, value in headers:
        if len(name) == 14 and name.lower() == "content-length" and value != str(body_bytes):
            if exchange.method == "HEAD" or status in WITHOUT_BODY:
                return None
            return f"the application declared a Content-Length of {value} and gave {body_bytes} bytes"
    return None


class DeclaredLength:
    """Counts what an application gives of a body that comes in parts, against the length that it declares."""

    __slots__ = ("_given", "declared")

    def __init__(self, method: str, status: int, headers: Iterable[tuple[str, str]]) -> None:
        """Raises `RuntimeError` for a length that is no number, and for two that differ."""
        self._given = 0
        self.declared: int | None = None
        """In bytes; None where nothing is declared, or there will be no body."""
        if method == "HEAD" or status in WITHOUT_BODY:
            return
        for name, value in headers:
            if len(name) == 14 and name.lower() == "content-length":
                if not (value.isascii() and value.isdigit()) or self.declared not in (None, int(value)):
                    raise RuntimeError(f"the application declared a Content-Length of {value}, which cannot be")
                self.declared = int(value)

    @property
    def is_complete(self) -> bool:
        """Whether all that is declared was given."""
        return self._given == self.declared

    def add(self, count: int) -> None:
        """Counts so many bytes more. Raises `RuntimeError` where they are too many."""
        self._given += count
        if self.declared is not None and self._given > self.declared:
            raise self._wrong()

    def end(self) -> None:
        """Called when no more comes. Raises `RuntimeError` where bytes are missing."""
        if self.declared is not None and self._given != self.declared:
            raise self._wrong()

    def _wrong(self) -> RuntimeError:
        return RuntimeError(
            f"the application declared a Content-Length of {self.declared} and gave {self._given} bytes"
        )
