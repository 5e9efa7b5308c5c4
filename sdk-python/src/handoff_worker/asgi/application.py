"""Serves ASGI 3 applications, such as those of FastAPI, Starlette, Quart and Django, as they are.

The core hands over whole requests and takes whole answers. So the body comes in one event, the events of an answer are
gathered until the last of them, and WebSockets, server push and trailers are not offered.
"""

import asyncio
import inspect
from typing import Any

from handoff_worker.asgi.call import Call
from handoff_worker.asgi.interface import AsgiApp
from handoff_worker.asgi.lifespan import Lifespan
from handoff_worker.asgi.scope import scope_of
from handoff_worker.engine import tasks
from handoff_worker.gateway.gathering_budget import Gathering
from handoff_worker.log.logger import log
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.start.callables import accepts, is_async

__all__ = ["AsgiApplication", "is_asgi", "is_asgi2"]

BACKGROUND_SECONDS = 10.0
"""How long background work may go on when the worker stops."""


class AsgiApplication:
    """An ASGI application, for an engine with an event loop. Lives on the thread of that loop."""

    def __init__(self, app: AsgiApp, name: str, gathering: Gathering | None = None) -> None:
        self.name = name
        self._app = app
        self._lifespan = Lifespan(app)
        self._gathering = gathering or Gathering()
        self._running: set[Call] = set()
        """It also keeps their tasks alive, which the loop does not."""

    async def start(self) -> None:
        """Runs the application's startup; raises StartupFailed with its message when it refuses."""
        await self._lifespan.start()

    def begin(self, exchange: Exchange) -> None:
        """Starts a task for one request, with a copy of the context of its own."""
        call = Call(exchange, self._gathering)
        self._running.add(call)
        call.task = task = tasks.start(self._run(call, exchange), asyncio.get_running_loop())
        if not task.done():
            exchange.on_cancel(call.cancel)

    async def stop(self) -> None:
        """Waits for background work, within its limit, and runs the application's shutdown."""
        if self._running:
            tasks = [call.task for call in self._running if call.task is not None]
            _, late = await asyncio.wait(tasks, timeout=BACKGROUND_SECONDS)
            for task in late:
                log.error("work in the background was cut off after %g s: %r", BACKGROUND_SECONDS, task)
                task.cancel()
        await self._lifespan.stop()

    async def _run(self, call: Call, exchange: Exchange) -> None:
        try:
            await call.run(self._app, scope_of(exchange, self._lifespan.state), self.name)
        finally:
            self._running.discard(call)


def is_asgi(app: Any) -> bool:
    """Whether this is an ASGI 3 application: something to await with a scope, `receive` and `send`."""
    return is_async(app) and accepts(app, 3) and not accepts(app, 1)


def is_asgi2(app: Any) -> bool:
    """Whether this is a class of the older ASGI 2, made with a scope and then awaited, which is not supported."""
    return inspect.isclass(app) and accepts(app, 1) and inspect.iscoroutinefunction(vars(app).get("__call__"))
