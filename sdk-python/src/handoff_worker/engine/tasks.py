"""Starting a coroutine for a request, in the cheapest way that this Python has."""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any

if sys.version_info >= (3, 12):

    def start(coroutine: Coroutine[Any, Any, None], loop: asyncio.AbstractEventLoop) -> "asyncio.Task[None]":
        """
        Runs the coroutine up to where it first waits. One that never waits is done on return, and cost no turn of the loop.

        It runs in a copy of the current context, so that its context variables are its own. On the loop's thread, in the loop.
        """
        return asyncio.Task(coroutine, loop=loop, eager_start=True)

else:

    def start(coroutine: Coroutine[Any, Any, None], loop: asyncio.AbstractEventLoop) -> "asyncio.Task[None]":
        """
        Has the coroutine run at the next turn of the loop; before Python 3.12 a task cannot start earlier.

        It runs in a copy of the current context, so that its context variables are its own. On the loop's thread, in the loop.
        """
        return asyncio.Task(coroutine, loop=loop)
