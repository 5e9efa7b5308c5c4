"""Whose piece leaves next, where the core does not take all at once."""

import asyncio
from collections import deque
from collections.abc import Callable

from handoff_worker.protocol.response_stream import TakesTurns

TURNS_AT_ONCE = 4
"""In one turn of the event loop, so that the core always has something to take."""


class PieceTurns:
    """
    The responses in pieces and the WebSockets that have credit and something to send.

    Each gets a turn, which is one piece or one message, and comes again behind the others. Large messages stand in a row of their
    own, and the two rows take turns: so a piece waits behind one of them, not behind a broadcast. Lives on the thread of the event
    loop.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, takes_more: Callable[[], bool]) -> None:
        """`takes_more`: whether the core takes so fast that a turn may be given."""
        self._loop = loop
        self._takes_more = takes_more
        self._small: deque[TakesTurns] = deque()
        self._large: deque[TakesTurns] = deque()
        self._large_is_next = False
        self._due = False

    @property
    def are_idle(self) -> bool:
        """Whether nobody waits for a turn."""
        return not self._small and not self._large

    def add(self, waiting: TakesTurns, large: bool) -> None:
        """`large`: whether it has to send more than a piece."""
        (self._large if large else self._small).append(waiting)
        self.give_soon()

    def give_soon(self) -> None:
        """Gives turns from now on, as long as the core takes more."""
        if not self.are_idle and not self._due and self._takes_more():
            self._due = True
            self._loop.call_soon(self._give)

    def _give(self) -> None:
        self._due = False
        given = 0
        while not self.are_idle and given < TURNS_AT_ONCE and self._takes_more():
            given += self._next().take_turn()
        self.give_soon()

    def _next(self) -> TakesTurns:
        row = self._large if self._large and (self._large_is_next or not self._small) else self._small
        self._large_is_next = row is self._small
        return row.popleft()
