"""An asyncio engine with its event loop on a thread of its own."""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from handoff_worker import Request, Response
from handoff_worker.asgi.application import AsgiApplication
from handoff_worker.engine.asyncio_engine import AsyncEngine
from handoff_worker.plain.async_function import AsyncFunction
from handoff_worker.protocol.connection import End
from played_core import PATIENCE, PlayedCore
from running import HELLO

Handler = Callable[[Request], Awaitable[Response]] | AsgiApplication


class Run:
    """An engine, and the event loop it runs on, on a thread of its own."""

    def __init__(self, handler: Handler, concurrency: int) -> None:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        self.core = PlayedCore(theirs)
        self.engine: AsyncEngine | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.thread = threading.Thread(target=lambda: asyncio.run(self._serve(ours, handler, concurrency)), daemon=True)
        self.thread.start()

    async def _serve(self, ours: socket.socket, handler: Handler, concurrency: int) -> None:
        self._loop = asyncio.get_running_loop()
        application = handler if isinstance(handler, AsgiApplication) else AsyncFunction(handler)
        self.engine = AsyncEngine(application, concurrency)
        if await self.engine.greet(ours, HELLO):
            await application.start()
            await self.engine.serve()
            await application.stop()

    def leave(self) -> None:
        assert self._loop is not None and self.engine is not None
        self._loop.call_soon_threadsafe(self.engine.leave)

    def await_end(self) -> End:
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive() and self.engine is not None, "the engine does not end"
        return self.engine.connection.end


@contextmanager
def running(handler: Handler, concurrency: int = 100) -> Iterator[Run]:
    run = Run(handler, concurrency)
    with run.core:
        yield run
    run.thread.join(PATIENCE)
