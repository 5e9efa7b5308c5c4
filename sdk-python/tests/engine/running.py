"""A blocking engine on a thread of its own, and a handler that waits for its test."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from handoff_worker import Request, Response
from handoff_worker.engine.blocking_engine import BlockingEngine
from handoff_worker.plain.function import BlockingFunction
from handoff_worker.protocol.connection import End
from handoff_worker.protocol.environment import Environment
from handoff_worker.wsgi.application import WsgiApplication
from played_core import PATIENCE, PlayedCore

Handler = Callable[[Request], Response] | WsgiApplication

HELLO = Environment("", None, None, None, None).hello(0)


class Run:
    """An engine on a thread of its own."""

    def __init__(self, handler: Handler, concurrency: int | None, threads: int) -> None:
        ours, theirs = socket.socketpair()
        self.core = PlayedCore(theirs)
        application = handler if isinstance(handler, WsgiApplication) else BlockingFunction(handler)
        self.engine = BlockingEngine(ours, application, concurrency, threads)
        self._socket = ours
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        with self._socket:
            if self.engine.greet(HELLO):
                self.engine.serve()

    def await_end(self) -> End:
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive(), "the engine does not end"
        return self.engine.connection.end


@contextmanager
def running(handler: Handler, concurrency: int | None = None, threads: int = 1) -> Iterator[Run]:
    run = Run(handler, concurrency, threads)
    with run.core:
        yield run
    run.thread.join(PATIENCE)


class Gate:
    """A handler that waits at `/wait` until it may go on, and answers everything else at once."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.waiting = threading.Semaphore(0)
        self.reasons: list[str | None] = []
        self._inside = 0
        self._lock = threading.Lock()
        self.most_inside = 0

    def __call__(self, request: Request) -> Response:
        with self._lock:
            self._inside += 1
            self.most_inside = max(self.most_inside, self._inside)
        if request.path == "/wait":
            self.waiting.release()
            assert self.open.wait(2 * PATIENCE)  # longer than the core waits for the responses of others
        self.reasons.append(request.cancelled)
        with self._lock:
            self._inside -= 1
        return Response(request.path)
