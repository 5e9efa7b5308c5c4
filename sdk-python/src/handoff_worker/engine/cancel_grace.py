"""Giving up a coroutine that goes on although nobody waits for its answer any more."""

import asyncio
from collections.abc import Callable

from handoff_worker.protocol.exchange import Exchange

CANCEL_GRACE_SECONDS = 3.0
"""How long a request that nobody waits for may go on. Less than the 5 s after which the core takes the worker for stuck."""


def give_up_later(
    exchange: Exchange, task: "asyncio.Task[None]", reason: str, and_then: Callable[[], object] | None = None
) -> None:
    """
    Gives the place in the window back after the grace, unless it is free by then; the task may hold on all the same.

    Called when the request is cancelled for that reason, on the thread of the event loop, and so is `and_then`.
    """

    def give_up() -> None:
        if not exchange.answered:
            exchange.fail(f"given up {CANCEL_GRACE_SECONDS:g} s after it was cancelled: {reason}")
            if and_then is not None:
                and_then()

    timer = asyncio.get_running_loop().call_later(CANCEL_GRACE_SECONDS, give_up)
    task.add_done_callback(lambda _: timer.cancel())
