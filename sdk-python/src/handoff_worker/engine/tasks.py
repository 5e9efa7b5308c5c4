"""Starts a coroutine for a request, in the cheapest way that this Python has."""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any

if sys.version_info >= (3, 12):

    def start_task(coroutine: Coroutine[Any, Any, None], loop: asyncio.AbstractEventLoop) -> "asyncio.Task[None]":
        """
        Runs the coroutine up to its first wait. A coroutine that never waits is done on return, and costs no turn of the loop.

        The coroutine gets a copy of the current context. Called on the thread of the loop, while the loop runs.
        """
        return asyncio.Task(coroutine, loop=loop, eager_start=True)

else:

    def start_task(coroutine: Coroutine[Any, Any, None], loop: asyncio.AbstractEventLoop) -> "asyncio.Task[None]":
        """
        Schedules the coroutine for the next loop iteration; before Python 3.12 a task cannot start earlier.

        The coroutine gets a copy of the current context. Called on the thread of the loop, while the loop runs.
        """
        return asyncio.Task(coroutine, loop=loop)
