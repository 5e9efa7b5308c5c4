"""How many requests a worker that blocks asks for; see docs/decisions/0010-python-window.md."""

FIRST = 16
LARGEST = 64
"""Enough that one read and one write carry many requests; more gained nothing."""
SMALLEST = 2
"""So that the next request is there when one has been answered."""

AHEAD_SECONDS = 0.01
"""What a worker may have in hand: so much work, which no other worker can take from it."""

JUDGED_REQUESTS = 64
JUDGED_SECONDS = 0.1
"""A change is considered after so many requests, or so much work."""


class Window:
    """
    Follows the handler: the quicker it is, the more requests at once. It moves by powers of two, and only when it was off by one.

    Without clocks: it is told what each turn took.
    """

    def __init__(self, smallest: int, largest: int) -> None:
        """Two equal bounds make a window that stays."""
        self._smallest = smallest
        self._largest = max(largest, smallest)
        self.size = min(max(FIRST, smallest), self._largest)
        self._requests = 0
        self._seconds = 0.0

    def after(self, requests: int, seconds: float) -> bool:
        """Takes note of a turn that handled so many requests in so much time; returns whether `size` has changed."""
        self._requests += requests
        self._seconds += seconds
        if self._requests < JUDGED_REQUESTS and self._seconds < JUDGED_SECONDS:
            return False
        ahead = AHEAD_SECONDS * self._requests / max(self._seconds, 1e-9)
        self._requests = 0
        self._seconds = 0.0
        if self.size < self._largest and ahead >= 2 * self.size:
            self.size = min(2 * self.size, self._largest)
        elif self.size > self._smallest and ahead <= self.size / 2:
            self.size = max(self.size // 2, self._smallest)
        else:
            return False
        return True
