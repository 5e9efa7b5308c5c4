"""Bounds the memory that responses in parts take until they are whole, for all requests of one worker together."""

import threading

from handoff_worker.protocol.exchange import Exchange

MOST_BYTES = 256 * 1024 * 1024
"""The default, or the size of the largest response that the core takes where that is more."""

REFUSAL = b"This worker holds too many unfinished responses. Try again later.\n"


class GatheringBudgetExceeded(Exception):
    """Raised into an application that gives a part of a response for which there is no room. Its client has got a 503."""


class GatheringBudget:
    """
    Counts the gathered parts and, when asked for more, the whole responses that the core has not taken yet.

    A response in one part is not counted: it is as large as the application made it. Any thread may call any method.
    """

    def __init__(self, most: int | None = None) -> None:
        """`most`: in bytes; None for the default."""
        self._most = most
        self._bytes = 0
        self._lock = threading.Lock()

    def take(self, exchange: Exchange, count: int) -> None:
        """
        Takes so many bytes of the budget, until `release`.

        Where they do not fit it takes none, answers the request with 503 and raises `GatheringBudgetExceeded`.
        """
        most = max(MOST_BYTES, exchange.body_limit) if self._most is None else self._most
        with self._lock:
            taken = self._bytes + count
            if taken + exchange.unsent_bytes <= most:
                self._bytes = taken
                return
        headers = (("content-type", "text/plain; charset=utf-8"), ("retry-after", "1"))
        exchange.answer(503, headers, REFUSAL)
        raise GatheringBudgetExceeded(
            f"responses in parts are sent when they are whole, and those of this worker would take {taken} bytes together, "
            f"of {most} (--max-gathered): give smaller responses, serve fewer at once (--concurrency), or raise it"
        )

    def release(self, count: int) -> None:
        """Gives so many bytes back."""
        with self._lock:
            self._bytes -= count
