"""Gives up requests whose coroutine goes on after it was cancelled."""

import asyncio
from collections.abc import Callable

from handoff_worker.protocol.exchange import Exchange

CANCEL_GRACE_SECONDS = 3.0
"""How long a cancelled request may go on. It is less than the 5 s after which the core takes the worker for stuck."""


def give_up_later(
    exchange: Exchange, task: "asyncio.Task[None]", reason: str, and_then: Callable[[], object] | None = None
) -> None:
    """
    Fails the request after the grace, unless it is answered by then, so that its place in the window is free. The task may go on.

    Called when the request is cancelled, on the thread of the event loop. `reason`: why it was cancelled. `and_then` is called on
    the same thread after the request has failed here. The cancel has ended a response in pieces already: for such a one only
    `and_then` is left.
    """
    streamed = exchange.answered

    def give_up() -> None:
        if streamed or not exchange.answered:
            exchange.fail(f"given up {CANCEL_GRACE_SECONDS:g} s after it was cancelled: {reason}")
            if and_then is not None:
                and_then()

    timer = asyncio.get_running_loop().call_later(CANCEL_GRACE_SECONDS, give_up)
    task.add_done_callback(lambda _: timer.cancel())
