"""How long a worker waits before it connects again."""

import random
from collections.abc import Callable

FIRST_SECONDS = 0.1
LONGEST_SECONDS = 5.0


class BackOff:
    """Delays that double from 0.1 s to 5 s, each times 0.5 to 1.5, so that workers do not come all at once (PROTOCOL.md, `Transport`)."""

    def __init__(self, random_share: Callable[[], float] = lambda: random.uniform(0.5, 1.5)) -> None:
        self._random_share = random_share
        self._seconds = FIRST_SECONDS

    def next_seconds(self) -> float:
        seconds = self._seconds
        self._seconds = min(2 * seconds, LONGEST_SECONDS)
        return seconds * self._random_share()

    def reset(self) -> None:
        """Begins anew with the first delay. Called after a connection that served."""
        self._seconds = FIRST_SECONDS
