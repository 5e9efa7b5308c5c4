"""The life of a worker process whose application blocks: connect, start the application, serve, leave."""

import signal
import sys
import time
from types import FrameType

from handoff_worker.engine.application import BlockingApplication
from handoff_worker.engine.back_off import BackOff
from handoff_worker.engine.blocking_engine import BlockingEngine
from handoff_worker.engine.connect import connect
from handoff_worker.engine.exit_codes import CLEAN, FAILED
from handoff_worker.engine.forking import close_in_children
from handoff_worker.engine.memory_report import MemoryReport
from handoff_worker.engine.ready_file import ReadyFile
from handoff_worker.log.logger import log
from handoff_worker.protocol.connection import End
from handoff_worker.protocol.environment import Environment

STREAMS = 0
"""Each response in pieces keeps a thread, and so its place in the window."""


class BlockingWorker:
    """
    Runs a blocking application until the core or the operator stops it. Lives on the main thread.

    A worker that the core started ends with its connection. Any other connects again when the core is gone.

    SIGTERM drains: what has begun is finished. SIGINT does the same for a worker that was started by hand. A worker of the core
    ignores SIGINT, since Ctrl-C in a terminal reaches the core as well, which drains its workers.
    """

    def __init__(
        self, application: BlockingApplication, environment: Environment, concurrency: int | None, threads: int
    ) -> None:
        self._application = application
        self._environment = environment
        self._concurrency = concurrency
        self._threads = threads
        self._engine: BlockingEngine | None = None
        self._ready_file = ReadyFile(environment.ready_file)
        self._started = False

    def run(self) -> int:
        """Returns the exit code, as `exit_codes` lists them."""
        signal.signal(signal.SIGTERM, self._told_to_stop)
        signal.signal(signal.SIGINT, signal.SIG_IGN if self._environment.spawned else self._told_to_stop)
        back_off = BackOff()
        try:
            while True:
                end = self._serve_once(back_off)
                if end is End.LEFT:
                    return CLEAN
                if self._environment.spawned:
                    return CLEAN if end is End.DRAINED else FAILED
                # A worker that was started by hand outlives a core.
                time.sleep(back_off.next_seconds())
        finally:
            if self._started:
                self._application.stop()

    def _serve_once(self, back_off: BackOff) -> End:
        try:
            core = connect(self._environment.socket)
        except OSError as problem:
            log.warning("%s", problem)
            return End.LOST
        with core:
            close_in_children(core)
            memory = MemoryReport(is_told=not self._environment.spawned)
            engine = BlockingEngine(core, self._application, self._concurrency, self._threads, memory)
            if not engine.greet(self._environment.hello(STREAMS, uploads=self._threads)):
                return engine.connection.end
            self._start()
            back_off.reset()
            engine.connection.when_closing = self._ready_file.remove
            self._engine = engine
            try:
                self._ready_file.put()
                if engine.connection.leaving:  # a signal came meanwhile
                    self._ready_file.remove()
                engine.serve()
            finally:
                self._engine = None
                self._ready_file.remove()
            return engine.connection.end

    def _start(self) -> None:
        if not self._started:
            self._application.start()
            self._started = True

    def _told_to_stop(self, number: int, frame: FrameType | None) -> None:
        if not self._environment.spawned:
            signal.signal(signal.SIGINT, signal.default_int_handler)  # a second Ctrl-C stops at once
        if self._engine is None:
            sys.exit(CLEAN)
        self._engine.leave()
