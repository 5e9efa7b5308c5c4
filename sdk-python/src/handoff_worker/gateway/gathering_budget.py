"""The memory that answers in parts take until they are whole, all of one worker together."""

import threading

from handoff_worker.protocol.exchange import Exchange

MOST_BYTES = 256 * 1024 * 1024
"""By default; or one answer of the size that the core takes, where that is more."""

REFUSAL = b"This worker holds too many unfinished answers. Try again later.\n"


class GatheredTooMuch(Exception):
    """Raised into an application that gives more of an answer than there is room for; its client has got a 503."""


class Gathering:
    """
    Counts what has been gathered of answers and, when asked for more, what the core has not yet taken of those that are whole.

    An answer in one part is not gathered: it is as large as the application made it. Any thread may call any method.
    """

    def __init__(self, most: int | None = None) -> None:
        """`most` bytes; None for the default."""
        self._most = most
        self._bytes = 0
        self._lock = threading.Lock()

    def take(self, exchange: Exchange, count: int) -> None:
        """Makes room for so many bytes more; or answers the request with 503 and raises `GatheredTooMuch`, and has taken nothing."""
        most = max(MOST_BYTES, exchange.body_limit) if self._most is None else self._most
        with self._lock:
            taken = self._bytes + count
            if taken + exchange.unsent_bytes <= most:
                self._bytes = taken
                return
        headers = (("content-type", "text/plain; charset=utf-8"), ("retry-after", "1"))
        exchange.answer(503, headers, REFUSAL)
        raise GatheredTooMuch(
            f"answers in parts are sent when they are whole, and those of this worker would take {taken} bytes together, "
            f"of {most} (--max-gathered): give smaller answers, serve fewer at once (--window), or raise it"
        )

    def release(self, count: int) -> None:
        with self._lock:
            self._bytes -= count
