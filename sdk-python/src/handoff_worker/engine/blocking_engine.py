"""The engine for code that blocks. No event loop: read, handle all that came, write all answers at once."""

import socket
import threading
import time
from collections import deque
from contextlib import suppress

from handoff_worker.engine.application import BlockingApplication
from handoff_worker.engine.concurrency import LARGEST, SMALLEST, Window
from handoff_worker.engine.memory_report import Memory
from handoff_worker.engine.standing_in import Bell, StandIns, Watch
from handoff_worker.log.logger import log, tell_failure
from handoff_worker.protocol.connection import LEAVING, WELCOME_SECONDS, Connection
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.protocol.frames import FrameReader, Head, capacity
from handoff_worker.protocol.outbox import SocketOutbox

READ_BYTES = 64 * 1024
MOST_READ_BYTES = 1024 * 1024


class BlockingEngine:
    """
    Serves one connection: handles requests on the thread that calls `serve` and on up to `threads - 1` more.

    One thread at a time **leads**: it reads, and handles what it has read, one request after the other, without a lock or a switch
    of threads. When a request holds it up for longer than a moment, the watch gives the lead to a thread that is free, which sends
    what has been answered and goes on with the requests behind. Where none is free the watch leads itself, and only reads: so
    cancels arrive, whatever the handlers do. Whichever thread is free first takes the lead back.

    `_held` has in it the request that the leader is handling. The leader takes it out when it is done, or the watch does before.
    """

    def __init__(
        self,
        core: socket.socket,
        application: BlockingApplication,
        window: int | None,
        threads: int,
        memory: Memory | None = None,
    ) -> None:
        """A `window` of None follows the handler. The core is told of the `memory`, if any."""
        self._memory = memory or Memory(is_told=False)
        self._core = core
        self._application = application
        self._window = Window(max(threads, SMALLEST), LARGEST) if window is None else Window(window, window)
        self._reader = FrameReader()
        self._outbox = SocketOutbox(core)
        self.connection = Connection(self._outbox.send)
        self._waiting: deque[Exchange] = deque()
        self._held: deque[Exchange] = deque()
        self._watch = Watch(self._held)
        self._stand_ins = StandIns(threads - 1, self._stand_in)
        self._bell: Bell | None = None
        self._passing = threading.Lock()
        """Held while the lead passes from one to another; the leader that keeps up never takes it."""
        self._watch_reads = False
        self._returned = threading.Semaphore(0)
        self._read_at = 0.0
        self._over = False

    def greet(self, hello: bytes) -> bool:
        """Returns whether the core takes this worker."""
        self._core.settimeout(WELCOME_SECONDS)
        try:
            self._outbox.send(hello)
            while not self.connection.welcomed and not self.connection.refused:
                if not self._read():
                    return False
        except OSError as problem:
            log.warning("the core does not answer: %s", problem)
            return False
        self._core.settimeout(None)
        self._outbox.body_limit = self.connection.body_limit
        return self.connection.welcomed

    def serve(self) -> None:
        """Opens the window and serves until one of the two ends the connection."""
        self._bell = bell = Bell(self._core)
        self._outbox.send(capacity(self._window.size, self._memory.take()))
        watch = threading.Thread(target=self._watch_over, args=(bell,), name="handoff-watch", daemon=True)
        watch.start()
        try:
            self._lead()
            self._stand_in()
        finally:
            self._finish()
            watch.join()
            bell.close()

    def leave(self) -> None:
        """Says drain; may be called by a signal handler, whatever the thread is doing."""
        with suppress(OSError):  # reading tells the end of the connection better
            self.connection.leave()
        if self._bell is not None:
            self._bell.ring()

    def _lead(self) -> None:
        """Handles and reads until another leads, or the connection ends."""
        try:
            while True:
                requests, began = len(self._waiting), self._read_at
                if not self._handle_waiting():
                    return
                now = time.monotonic()
                if self._window.after(requests, now - began) or self._memory.is_due(now):
                    self._outbox.put(0, capacity(self._window.size, self._memory.take()), b"")
                self._outbox.flush()
                if not self._waiting and not self._read():
                    break
        except OSError as problem:
            self._lost(problem)
        except BaseException:
            self._finish()
            raise
        self._finish()

    def _handle_waiting(self) -> bool:
        """Handles all that has come, or what came before the lead was away meanwhile; returns False if another leads by now."""
        waiting, held, watch, begin = self._waiting, self._held, self._watch, self._application.begin
        while waiting:
            exchange = waiting.popleft()
            held.append(exchange)
            if watch.asleep:
                watch.wake()
            try:
                if self.connection.leaving:
                    exchange.fail(LEAVING, retry=True)
                else:
                    begin(exchange)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001  whatever it is, the id has to be answered
                tell_failure(exchange, error, self._application.name)
            try:
                held.pop()
            except IndexError:
                return self._finished_late(exchange)
        return True

    def _finished_late(self, exchange: Exchange) -> bool:
        """For a thread that was held up, so that another leads by now; returns whether it has the lead back."""
        with self._passing:
            self.connection.in_flight.pop(exchange.id, None)
            take_back, self._watch_reads = self._watch_reads, False
            if not take_back:
                self._stand_ins.free += 1
        if take_back:
            assert self._bell is not None, "a request without serve"
            self._bell.ring()
            self._returned.acquire()
        elif not self._over:
            self._outbox.flush()  # the leader waits for requests, perhaps
        return take_back and not self._over

    def _stand_in(self) -> None:
        """Leads whenever it is called, until the connection ends."""
        while not self._over:
            self._stand_ins.await_call()
            if not self._over:
                self._lead()

    def _watch_over(self, bell: Bell) -> None:
        """Passes the lead on whenever the leader is held up."""
        while self._watch.await_held_up():
            with self._passing:
                try:
                    # Perhaps another request than the one that was seen; then the lead passes without need, and no harm is done.
                    held_up = self._held.pop()
                except IndexError:
                    continue
                self.connection.in_flight[held_up.id] = held_up
                self._watch_reads = nobody_is_free = not self._stand_ins.call()
            if nobody_is_free:
                self._read_only(bell)

    def _read_only(self, bell: Bell) -> None:
        """Leads without handling anything, until a thread takes the lead back or the connection ends."""
        try:
            while self._watch_reads and not self._over:
                if self.connection.leaving:
                    self._give_back_waiting()
                self._outbox.flush()
                if bell.await_core() and not self._read():
                    self._finish()
        except OSError as problem:
            self._lost(problem)
        finally:
            self._read_at = time.monotonic()
            self._returned.release()

    def _take(self, messages: list[Head]) -> None:
        """Acts on what is no request. A cancelled request that nobody has begun with is answered here."""
        waiting = {exchange.id: exchange for exchange in self._waiting}
        for message in messages:
            exchange = waiting.pop(message["id"], None) if message["type"] == "cancel" else None
            if exchange is None:
                self.connection.take(message)
            else:
                exchange.fail(f"cancelled before it began: {message['reason']}")
        self._waiting = deque(waiting.values())

    def _give_back_waiting(self) -> None:
        """Gives back what nobody has begun with, so that another worker gets it."""
        while self._waiting:
            self._waiting.popleft().fail(LEAVING, retry=True)

    def _lost(self, problem: OSError) -> None:
        if not self._over:
            log.warning("the core is gone: %s", problem)
        self._finish()

    def _finish(self) -> None:
        if self._over:
            return
        self._over = True
        self._watch.end()
        self._stand_ins.end()
        self.connection.cancel_all()
        with suppress(OSError):  # so that the core does not wait for answers either
            self._core.shutdown(socket.SHUT_RDWR)

    def _read(self) -> bool:
        """Takes what has come, and waits for something if nothing has; returns False at the end of the connection."""
        chunk = self._core.recv(min(max(READ_BYTES, self._reader.missing), MOST_READ_BYTES))
        if not chunk:
            return False
        self._read_at = now = time.monotonic()
        others = []
        for message in self._reader.feed(chunk):
            if isinstance(message, tuple):
                request_id, millis, json, body = message
                self._waiting.append(Exchange(request_id, json, body, now + millis / 1000, self._outbox))
            else:
                others.append(message)
        if others:
            self._take(others)
        if self._reader.fault is not None:
            log.error("the core sent %s; the connection ends", self._reader.fault)
            return False
        return True
