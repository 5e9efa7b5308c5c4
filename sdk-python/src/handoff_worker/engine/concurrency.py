"""How many requests a worker that blocks asks for; docs/decisions/0010-python-window.md has the figures."""

FIRST = 16
LARGEST = 64
"""So many that one read and one write carry many requests; more gained nothing."""
SMALLEST = 2
"""The next request is then there when the first has its response."""

AHEAD_SECONDS = 0.01
"""The work that a worker may hold in advance. No other worker can take it over."""

JUDGED_REQUESTS = 64
JUDGED_SECONDS = 0.1
"""A change is considered after so many requests, or so much work."""


class AdaptiveConcurrency:
    """
    The number of requests to have at once, which follows the handler: the quicker it is, the more.

    The value doubles or halves, and only when the handler was twice as quick or half as quick as the value assumes. It reads no
    clock: the engine tells it how long each turn took. It belongs to the thread that leads the engine.
    """

    def __init__(self, smallest: int, largest: int) -> None:
        """Two equal bounds make a value that stays."""
        self._smallest = smallest
        self._largest = max(largest, smallest)
        self.value = min(max(FIRST, smallest), self._largest)
        """In requests."""
        self._requests = 0
        self._seconds = 0.0

    def after(self, requests: int, seconds: float) -> bool:
        """Notes a turn that handled so many requests in so much time. Returns whether `value` has changed."""
        self._requests += requests
        self._seconds += seconds
        if self._requests < JUDGED_REQUESTS and self._seconds < JUDGED_SECONDS:
            return False
        ahead = AHEAD_SECONDS * self._requests / max(self._seconds, 1e-9)
        self._requests = 0
        self._seconds = 0.0
        if self.value < self._largest and ahead >= 2 * self.value:
            self.value = min(2 * self.value, self._largest)
        elif self.value > self._smallest and ahead <= self.value / 2:
            self.value = max(self.value // 2, self._smallest)
        else:
            return False
        return True
