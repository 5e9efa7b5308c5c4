"""The life of a worker process: connect, start the application, serve, leave; and again when the core went away."""

import os
import signal
import socket
import sys
import time
from types import FrameType

from handoff_worker.engine.application import BlockingApplication
from handoff_worker.engine.back_off import BackOff
from handoff_worker.engine.blocking_engine import BlockingEngine
from handoff_worker.engine.forking import close_in_children
from handoff_worker.engine.memory_report import Memory
from handoff_worker.engine.ready_file import ReadyFile
from handoff_worker.log.logger import log
from handoff_worker.protocol.connection import End
from handoff_worker.protocol.environment import Environment

CLEAN = 0
FAILED = 1


def connect(path: str) -> socket.socket:
    """Raises `OSError` with the path in it."""
    core = socket.socket(socket.AF_UNIX)
    try:
        core.connect(path)
    except OSError as problem:
        core.close()
        advice = f"; {_who_may(path)}" if isinstance(problem, PermissionError) else ""
        raise OSError(f"cannot connect to {path}: {problem.strerror or problem}{advice}") from problem
    return core


def _who_may(path: str) -> str:
    """What is wrong where this process may not use the socket, and what to do."""
    me = f"this worker runs as user {os.geteuid()} with group {os.getegid()}"
    try:
        owner = os.stat(path)
    except OSError:
        return f"{me}, which may not enter the folder of the socket: run it as the user of the core"
    them = f"{owner.st_uid}:{owner.st_gid}"
    return f'{me}, the socket is of {them}: run the worker as that user, or with that group as its own (in Compose: user: "{them}")'


class BlockingWorker:
    """
    Runs a blocking application until the core, or who started this process, has no more use for it. On the main thread.

    SIGTERM says drain and finishes what has begun. SIGINT does the same for a worker that was started by hand; one of the core's
    ignores it, since Ctrl-C in a terminal reaches the core as well, which drains its workers.
    """

    def __init__(
        self, application: BlockingApplication, environment: Environment, window: int | None, threads: int
    ) -> None:
        self._application = application
        self._environment = environment
        self._window = window
        self._threads = threads
        self._engine: BlockingEngine | None = None
        self._ready_file = ReadyFile(environment.ready_file)
        self._started = False

    def run(self) -> int:
        """Returns the exit code."""
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
                # Started by somebody else, it outlives a core.
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
            memory = Memory(is_told=not self._environment.spawned)
            engine = BlockingEngine(core, self._application, self._window, self._threads, memory)
            if not engine.greet(self._environment.hello()):
                return engine.connection.end
            self._start()
            back_off.reset()
            engine.connection.when_closing = self._ready_file.remove
            self._engine = engine
            try:
                self._ready_file.put()
                if engine.connection.leaving:  # a signal said so meanwhile
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
