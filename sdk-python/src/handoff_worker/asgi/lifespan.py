"""Tells an ASGI application when it may start, before any request comes, and when it has to stop."""

import asyncio
from typing import Any

from handoff_worker.asgi.interface import AsgiApp, Message
from handoff_worker.engine.application import StartupFailed
from handoff_worker.engine.failure_log import place_of
from handoff_worker.log.logger import log

SHUTDOWN_SECONDS = 10.0
"""How long an application may take to shut down, before the worker ends without it."""

REASON_SECONDS = 1.0
"""How long an application whose startup failed may take to raise why."""


class Lifespan:
    """One run of an application's lifespan protocol (ASGI "Lifespan Protocol"). Lives on the thread of the event loop."""

    def __init__(self, app: AsgiApp) -> None:
        self.state: dict[str, Any] = {}
        """What the application keeps for its requests. Each request gets a shallow copy."""
        self._app = app
        self._task: asyncio.Task[None] | None = None
        self._asked = 0
        self._stopping = asyncio.Event()
        self._started = False
        self._refused: str | None = None
        self._answered = asyncio.Event()

    async def start(self) -> None:
        """
        Returns when the application has started. Raises `StartupFailed` with its message when the application cannot start.

        An application without lifespan raises at once, or returns, and has nothing to start. One that raises later serves as well
        (ASGI "Lifespan Protocol"), and the log has its traceback. The core limits how long a start may take.
        """
        self._task = asyncio.get_running_loop().create_task(self._run())
        await self._answered.wait()
        if self._refused is not None:
            await asyncio.wait([self._task], timeout=REASON_SECONDS)
            raise StartupFailed(self._refused)

    async def stop(self) -> None:
        """Returns when the application has shut down, or 10 s have passed."""
        if self._task is None or self._task.done():
            return
        self._stopping.set()
        _, late = await asyncio.wait([self._task], timeout=SHUTDOWN_SECONDS)
        if late:
            log.error("the application did not shut down within %g s", SHUTDOWN_SECONDS)
            self._task.cancel()

    async def _run(self) -> None:
        scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": self.state}
        try:
            await self._app(scope, self._receive, self._send)
        except Exception as error:  # noqa: BLE001  an application without lifespan raises anything
            self._tell(error)
        finally:
            self._answered.set()

    def _tell(self, error: Exception) -> None:
        if self._started:
            log.exception("the application's lifespan failed")
        elif self._refused is not None:
            # Starlette and FastAPI put the traceback into the message. Others leave it empty, and raise.
            if type(error).__name__ not in self._refused:
                log.exception("the application's lifespan failed")
        elif self._asked:
            log.exception("the application's lifespan failed in its startup; the application serves without it")
        else:
            log.info("the application takes no lifespan, and is served without: %r (%s)", error, place_of(error))

    async def _receive(self) -> Message:
        self._asked += 1
        if self._asked == 1:
            return {"type": "lifespan.startup"}
        await self._stopping.wait()
        if self._asked > 2:
            raise RuntimeError("after lifespan.shutdown there is nothing more to receive")
        return {"type": "lifespan.shutdown"}

    async def _send(self, message: Message) -> None:
        match message["type"]:
            case "lifespan.startup.complete":
                self._started = True
            case "lifespan.startup.failed":
                self._refused = message.get("message", "") or "the application's lifespan says startup.failed"
            case "lifespan.shutdown.failed":
                log.error("the application could not shut down: %s", message.get("message", ""))
            case "lifespan.shutdown.complete":
                pass
            case other:
                raise RuntimeError(f"the application sent {other}, which is no event of a lifespan")
        self._answered.set()
