"""Serves ASGI 3 applications unchanged, such as those of FastAPI, Starlette, Quart and Django.

The body comes in one event, that of a large request in pieces. A response that is complete within the turn of the event loop
leaves whole, any other in pieces. Server push and trailers are not offered.
"""

import asyncio

from handoff_worker.asgi.call import Call
from handoff_worker.asgi.interface import AsgiApp
from handoff_worker.asgi.lifespan import Lifespan
from handoff_worker.asgi.scope import scope_of, web_socket_scope_of
from handoff_worker.asgi.web_socket_call import WebSocketCall
from handoff_worker.engine.failure_log import tell_failure
from handoff_worker.engine.tasks import start_task
from handoff_worker.gateway.gathering_budget import GatheringBudget
from handoff_worker.log.logger import log
from handoff_worker.protocol.exchange import Exchange

BACKGROUND_SECONDS = 10.0
"""How long background work may go on when the worker stops."""


class AsgiApplication:
    """An ASGI application, for an engine with an event loop. Lives on the thread of that loop."""

    takes_web_sockets = True

    def __init__(self, app: AsgiApp, name: str, budget: GatheringBudget | None = None) -> None:
        """`name`: what messages call it. `budget`: for responses in parts; None for one of the default size."""
        self.name = name
        self._app = app
        self._lifespan = Lifespan(app)
        self._budget = budget or GatheringBudget()
        self._running: set[Call | WebSocketCall] = set()
        """The calls that have not ended. It also keeps their tasks alive, which the loop does not."""

    async def start(self) -> None:
        """Runs the application's startup; raises `StartupFailed` with the message of an application that cannot start."""
        await self._lifespan.start()

    def begin(self, exchange: Exchange) -> None:
        """Starts a task for one request, which gets its own copy of the context."""
        call: Call | WebSocketCall
        # As `asks_for_web_socket`, whose call would take a hundredth of the request.
        if b'"websocket"' in exchange.json and exchange.subprotocols is not None:
            call = WebSocketCall(exchange)
        else:
            call = Call(exchange, self._budget)
        self._running.add(call)
        task = start_task(self._run(call, exchange), asyncio.get_running_loop())
        if not task.done():
            call.task = task
            exchange.on_cancel(call.cancel)

    async def stop(self) -> None:
        """Waits up to 10 s for background work, then runs the application's shutdown."""
        if self._running:
            tasks = [call.task for call in self._running if call.task is not None]
            _, late = await asyncio.wait(tasks, timeout=BACKGROUND_SECONDS)
            for task in late:
                log.error("work in the background was cut off after %g s: %r", BACKGROUND_SECONDS, task)
                task.cancel()
        await self._lifespan.stop()

    async def _run(self, call: Call | WebSocketCall, exchange: Exchange) -> None:
        make = scope_of if isinstance(call, Call) else web_socket_scope_of
        try:
            # Not before the task runs: those of all requests of a turn would give the garbage collector work.
            try:
                scope = make(exchange, self._lifespan.state)
            except Exception as error:  # noqa: BLE001  whatever was raised, the core waits for this id
                tell_failure(exchange, error, self.name)
                return
            await call.run(self._app, scope, self.name)
        finally:
            self._running.discard(call)
            call.task = None  # a cancelled task refers to this call by its traceback
