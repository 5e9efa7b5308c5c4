"""Whose piece leaves next, where the core does not take all at once."""

import asyncio
from collections import deque

from handoff_worker.protocol.response_stream import ResponseStream

TURNS_AT_ONCE = 4
"""In one turn of the event loop, so that the core always has something to take."""


class PieceTurns:
    """
    The responses in pieces that have credit and something to send, in the order in which they came.

    Each gets a turn, which is one piece, and comes again behind the others. They are not called while paused. Lives on the thread
    of the event loop.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[ResponseStream] = deque()
        self._paused = False
        self._due = False

    @property
    def are_idle(self) -> bool:
        """Whether nobody waits for a turn, nor would have to."""
        return not self._waiting and not self._paused

    def add(self, stream: ResponseStream) -> None:
        self._waiting.append(stream)
        self._give_soon()

    def pause(self) -> None:
        self._paused = True

    def resume(self) -> None:
        self._paused = False
        self._give_soon()

    def _give_soon(self) -> None:
        if self._waiting and not self._paused and not self._due:
            self._due = True
            self._loop.call_soon(self._give)

    def _give(self) -> None:
        self._due = False
        given = 0
        while self._waiting and not self._paused and given < TURNS_AT_ONCE:
            given += self._waiting.popleft().take_turn()
        self._give_soon()
