"""The life of a worker process whose application is asynchronous."""

import asyncio
import signal
from contextlib import suppress

from handoff_worker.engine.application import AsyncApplication
from handoff_worker.engine.asyncio_engine import AsyncEngine
from handoff_worker.engine.back_off import BackOff
from handoff_worker.engine.connect import connect
from handoff_worker.engine.exit_codes import CLEAN, FAILED
from handoff_worker.engine.forking import close_in_children
from handoff_worker.engine.memory_report import MemoryReport
from handoff_worker.engine.ready_file import ReadyFile
from handoff_worker.log.logger import log
from handoff_worker.protocol.connection import End
from handoff_worker.protocol.environment import Environment

try:
    from uvloop import new_event_loop  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    from asyncio import new_event_loop


END_SECONDS = 1.0
"""How long tasks may take to end when they are cancelled, before the worker ends without them."""

STREAMS = 10_000
"""Responses in pieces besides the window: each is a task that mostly waits. The core lets no worker have more."""


class AsyncWorker:
    """Does for an asynchronous application what `BlockingWorker` does for one that blocks. Lives on the main thread."""

    def __init__(self, application: AsyncApplication, environment: Environment, concurrency: int) -> None:
        self._application = application
        self._environment = environment
        self._concurrency = concurrency
        self._engine: AsyncEngine | None = None
        self._ready_file = ReadyFile(environment.ready_file)
        self._stopping = asyncio.Event()
        self._started = False

    def run(self) -> int:
        """Returns the exit code, as `exit_codes` lists them."""
        loop: asyncio.AbstractEventLoop = new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            return loop.run_until_complete(self._run(loop))
        finally:
            loop.run_until_complete(_end_tasks())
            loop.run_until_complete(loop.shutdown_asyncgens())
            # Tasks that still resist are torn down with the process. The log has said that they were pending.
            loop.set_exception_handler(lambda loop, context: None)
            loop.close()

    async def _run(self, loop: asyncio.AbstractEventLoop) -> int:
        loop.add_signal_handler(signal.SIGTERM, self._told_to_stop)
        if self._environment.spawned:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        else:
            loop.add_signal_handler(signal.SIGINT, self._told_to_stop)
        back_off = BackOff()
        try:
            while True:
                end = await self._serve_once(back_off)
                if end is End.LEFT or self._stopping.is_set():
                    return CLEAN
                if self._environment.spawned:
                    return CLEAN if end is End.DRAINED else FAILED
                # A worker that was started by hand outlives a core.
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), back_off.next_seconds())
        finally:
            if self._started:
                await self._application.stop()

    async def _serve_once(self, back_off: BackOff) -> End:
        try:
            core = connect(self._environment.socket)
        except OSError as problem:
            log.warning("%s", problem)
            return End.LOST
        close_in_children(core)
        core.setblocking(False)
        engine = AsyncEngine(self._application, self._concurrency, MemoryReport(is_told=not self._environment.spawned))
        if not await engine.greet(core, self._environment.hello(STREAMS, self._application.takes_web_sockets)):
            return engine.connection.end
        if not self._started:
            await self._application.start()
            self._started = True
        back_off.reset()
        self._engine = engine
        engine.connection.when_closing = self._ready_file.remove
        self._ready_file.put()
        if self._stopping.is_set():
            engine.leave()
        try:
            await engine.serve()
        finally:
            self._engine = None
            self._ready_file.remove()
        return engine.connection.end

    def _told_to_stop(self) -> None:
        asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)  # a second Ctrl-C stops at once
        self._stopping.set()
        if self._engine is not None:
            self._engine.leave()


async def _end_tasks() -> None:
    """Cancels the tasks that still run, and logs how many do not end."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        _, late = await asyncio.wait(tasks, timeout=END_SECONDS)
        if late:
            log.warning("tasks that did not end within %g s of their cancel were cut off: %d", END_SECONDS, len(late))
