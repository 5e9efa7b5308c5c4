"""The engine for code that blocks. It has no event loop: it reads, handles all that came, and writes all responses at once."""

import socket
import threading
import time
from collections import deque
from contextlib import suppress

from handoff_worker.engine.application import BlockingApplication
from handoff_worker.engine.concurrency import LARGEST, SMALLEST, AdaptiveConcurrency
from handoff_worker.engine.failure_log import tell_failure
from handoff_worker.engine.memory_report import MemoryReport
from handoff_worker.engine.spare_threads import SpareThreads
from handoff_worker.engine.wakeable_poll import WakeablePoll
from handoff_worker.engine.watch import Watch
from handoff_worker.log.logger import log
from handoff_worker.protocol.connection import LEAVING, WELCOME_SECONDS, Connection
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.protocol.frames import BeginOfRequest, FrameReader, Head, Piece, capacity
from handoff_worker.protocol.outbox import SocketOutbox

READ_BYTES = 64 * 1024
MOST_READ_BYTES = 1024 * 1024

ALL_STREAM = "all threads of this worker have responses under way (--threads)"
"""The message of a failure that gives a request back."""


class BlockingEngine:
    """
    Serves one connection: handles requests on the thread that calls `serve` and on up to `threads - 1` more.

    One thread at a time **leads**: it reads, and handles what it has read, one request after the other, without a lock or a switch
    of threads. When a request holds the leader up for longer than a moment, the watch gives the lead to a free thread, which sends
    the responses that are ready and goes on with the requests behind. Where no thread is free the watch leads itself, and only
    reads: so cancels arrive, whatever the handlers do. The first thread that becomes free takes the lead back.

    A handler that waits for a piece of its request gives the lead away at once, since somebody has to read that piece.

    A response in pieces keeps its thread until it ends, and its place in the window. When all threads have one, the window shrinks to
    these, and the core gets back what waits behind them.

    `_held` has in it the request that the leader is handling. The leader takes it out when it is done, unless the watch took it
    out before, which passes the lead on.
    """

    def __init__(
        self,
        core: socket.socket,
        application: BlockingApplication,
        concurrency: int | None,
        threads: int,
        memory: MemoryReport | None = None,
    ) -> None:
        """
        `core`: a connected socket, which the engine does not close. `concurrency`: the requests that the core may hand over at
        once; None lets it follow the speed of the handler. `threads`: the requests that are handled at once, from 1 on.
        `memory`: what the core is told of this process's memory, if anything.
        """
        self._memory = memory or MemoryReport(is_told=False)
        self._core = core
        self._application = application
        smallest, largest = (max(threads, SMALLEST), LARGEST) if concurrency is None else (concurrency, concurrency)
        self._concurrency = AdaptiveConcurrency(smallest, largest)
        self._reader = FrameReader()
        self._outbox = SocketOutbox(core)
        self._outbox.stream_begins = self._stream_begins
        self._outbox.stream_ends = self._stream_ends
        self._outbox.piece_awaited = self._piece_awaited
        self.connection = Connection(self._outbox.send)
        self._waiting: deque[Exchange] = deque()
        self._held: deque[Exchange] = deque()
        self._watch = Watch(self._held)
        self._threads = threads
        self._streaming: list[Exchange] = []
        """Those of threads that have given up the lead, or lost it, to a response in pieces. They stay until the thread is back."""
        self._window = self._concurrency.value
        """What the core was told last."""
        self._spare_threads = SpareThreads(threads - 1, self._lead_when_called)
        self._poll: WakeablePoll | None = None
        self._passing = threading.Lock()
        """Held while the lead passes from one thread to another. A leader that is not held up never takes it."""
        self._watch_reads = False
        self._returned = threading.Semaphore(0)
        self._read_at = 0.0
        self._over = False

    def greet(self, hello: bytes) -> bool:
        """
        Sends the frame `hello` and waits up to 10 s for the welcome; returns whether the core takes this worker.

        Called once, before `serve`, on the same thread.
        """
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
        self._outbox.stream_bytes = self.connection.stream_bytes
        return self.connection.welcomed

    def serve(self) -> None:
        """Opens the window, and serves until the core or this worker ends the connection. Called once."""
        self._poll = poll = WakeablePoll(self._core)
        self._outbox.put(0, capacity(self._concurrency.value, self._memory.take()), b"")
        watch = threading.Thread(target=self._watch_over, args=(poll,), name="handoff-watch", daemon=True)
        watch.start()
        try:
            self._lead()
            self._lead_when_called()
        finally:
            self._finish()
            watch.join()
            poll.close()

    def leave(self) -> None:
        """Tells the core that this worker drains. Any thread and any signal handler may call it, also when all is over."""
        with suppress(OSError):  # the thread that reads will see that the connection is gone
            self.connection.leave()
        if self._poll is not None:
            self._poll.wake()

    def _lead(self) -> None:
        """Handles and reads until another thread leads, or the connection ends."""
        try:
            while True:
                requests, began = len(self._waiting), self._read_at
                if not self._handle_waiting():
                    return
                is_full = self._outbox.is_full
                if is_full:
                    requests -= len(self._waiting)
                now = time.monotonic()
                if self._concurrency.after(requests, now - began) or self._memory.is_due(now):
                    self._window = self._open_window()
                    self._outbox.put(0, capacity(self._window, self._memory.take()), b"")
                self._outbox.flush()
                if is_full:
                    self._outbox.make_room()
                if not (self._read_what_is_there() if self._waiting else self._read()):
                    break
        except OSError as problem:
            self._lost(problem)
        except BaseException:
            self._finish()
            raise
        self._finish()

    def _handle_waiting(self) -> bool:
        """
        Handles all requests that have come, or as many as there is room for their responses. Returns False if another thread leads
        by now.
        """
        waiting, held, watch, begin = self._waiting, self._held, self._watch, self._application.begin
        while waiting and not self._outbox.is_full:
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
            except BaseException as error:  # noqa: BLE001  whatever was raised, the core waits for this id
                tell_failure(exchange, error, self._application.name)
            try:
                held.remove(exchange)  # and no other: a new leader may hold one by now
            except ValueError:
                return self._finished_late(exchange)
        return True

    def _finished_late(self, exchange: Exchange) -> bool:
        """Called by a thread that was held up, after another one got the lead. Returns whether it has the lead back."""
        with self._passing:
            self.connection.in_flight.pop(exchange.id, None)
            if exchange in self._streaming:
                self._streaming.remove(exchange)
                self._tell_window()
            take_back, self._watch_reads = self._watch_reads, False
            if not take_back:
                self._spare_threads.free += 1
        if take_back:
            assert self._poll is not None, "a request without serve"
            self._poll.wake()
            self._returned.acquire()
        elif not self._over:
            self._outbox.flush()  # perhaps the leader waits for requests, and does not send
        return take_back and not self._over

    def _lead_when_called(self) -> None:
        """Leads whenever this thread is called, until the connection ends."""
        while not self._over:
            self._spare_threads.await_call()
            if not self._over:
                self._lead()

    def _watch_over(self, poll: WakeablePoll) -> None:
        """Passes the lead on whenever the leader is held up."""
        while self._watch.await_held_up():
            with self._passing:
                try:
                    # Perhaps this is another request than the one that was seen. Then the lead passes without need, which does no harm.
                    held_up = self._held.pop()
                except IndexError:
                    continue
                self.connection.in_flight[held_up.id] = held_up
                if held_up.streams:
                    self._note_stream(held_up)
                del held_up  # this thread waits next, perhaps for long, and must not keep the body meanwhile
                self._watch_reads = nobody_is_free = not self._spare_threads.call()
            if nobody_is_free:
                self._read_only(poll)

    def _read_only(self, poll: WakeablePoll) -> None:
        """Leads without handling anything, until a thread takes the lead back or the connection ends."""
        try:
            while self._watch_reads and not self._over:
                if self.connection.leaving:
                    self._give_back_waiting(LEAVING)
                elif self._waiting and self._all_stream():
                    self._give_back_waiting(ALL_STREAM)
                self._outbox.flush()
                if poll.await_core() and not self._read():
                    self._finish()
        except OSError as problem:
            self._lost(problem)
        finally:
            self._read_at = time.monotonic()
            self._returned.release()

    def _take(self, messages: list[Head]) -> None:
        """Acts on messages that are not requests. A cancelled request that has not begun is failed here."""
        waiting = {exchange.id: exchange for exchange in self._waiting}
        for message in messages:
            exchange = waiting.pop(message["id"], None) if message["type"] == "cancel" else None
            if exchange is None:
                self.connection.take(message)
            else:
                exchange.fail(f"cancelled before it began: {message['reason']}")
        self._waiting = deque(waiting.values())

    def _give_back_waiting(self, why: str) -> None:
        """Gives back the requests that have not begun, so that another worker gets them."""
        while self._waiting:
            self._waiting.popleft().fail(why, retry=True)

    def _stream_begins(self, exchange: Exchange) -> None:
        """
        Passes the lead on at once where a thread is free: what is streamed waits for credit, which only a leader reads.

        Where none is free the watch takes the lead as soon as it sees that the leader is held up. Any thread may call it.
        """
        with self._passing:
            self.connection.in_flight[exchange.id] = exchange
            if exchange not in self._held:
                self._note_stream(exchange)
            elif self._spare_threads.has_one():
                with suppress(ValueError):  # its thread is done at this moment, and leads on
                    self._held.remove(exchange)
                    self._spare_threads.call()
                    self._note_stream(exchange)

    def _piece_awaited(self, request_id: int) -> None:
        """Passes the lead on at once, to a thread that is free or to the watch. Called by the thread of the handler."""
        with self._passing:
            if not self._held or self._held[0].id != request_id:
                return  # another thread leads
            if self._spare_threads.has_one():
                exchange = self._held.pop()
                self.connection.in_flight[request_id] = exchange
                self._spare_threads.call()
            else:
                self._watch.look_at_once()

    def _stream_ends(self, request_id: int) -> None:
        with self._passing:
            self.connection.in_flight.pop(request_id, None)
            if self._streaming:
                self._tell_window()

    def _note_stream(self, exchange: Exchange) -> None:
        self._streaming.append(exchange)
        self._tell_window()

    def _all_stream(self) -> bool:
        """Whether each thread has a response under way that somebody waits for."""
        return len(self._streaming) == self._threads and not any(exchange.answered for exchange in self._streaming)

    def _open_window(self) -> int:
        """What the core may hand over. It is never 0: a thread that does not return is noticed by a request that it keeps waiting."""
        if len(self._streaming) < self._threads:
            return self._concurrency.value
        return max(1, sum(not exchange.answered for exchange in self._streaming))

    def _tell_window(self) -> None:
        """Has the core told where the window has changed by a stream. The caller holds the lock."""
        window = self._open_window()
        if window != self._window:
            self._window = window
            self._outbox.put(0, capacity(window, 0), b"")
            if self._poll is not None:
                self._poll.wake()

    def _lost(self, problem: OSError) -> None:
        """The core is gone. What it sent before is read, if a write has failed: perhaps it had drained this worker."""
        if not self._over:
            with suppress(OSError):
                while self._read(socket.MSG_DONTWAIT):
                    pass
            if not self.connection.drained:
                log.warning("the core is gone: %s", problem)
        self._finish()

    def _finish(self) -> None:
        if self._over:
            return
        self._over = True
        self._watch.end()
        self._spare_threads.end()
        self.connection.cancel_all()
        with suppress(OSError):  # so that the core does not wait for responses either
            self._core.shutdown(socket.SHUT_RDWR)

    def _read_what_is_there(self) -> bool:
        """Reads what has come, if anything, so that a cancel spares a request that waits. Returns False at the end of the connection."""
        try:
            return self._read(socket.MSG_DONTWAIT)
        except BlockingIOError:
            return True

    def _read(self, flags: int = 0) -> bool:
        """Reads what has come, and waits where nothing has. Returns False at the end of the connection."""
        chunk = self._core.recv(min(max(READ_BYTES, self._reader.missing), MOST_READ_BYTES), flags)
        if not chunk:
            return False
        self._read_at = now = time.monotonic()
        others = []
        for message in self._reader.feed(chunk):
            if isinstance(message, tuple):
                request_id, millis, json, body = message
                self._waiting.append(Exchange(request_id, json, body, now + millis / 1000, self._outbox))
            elif isinstance(message, Piece):
                self.connection.take_piece(message)
            elif isinstance(message, BeginOfRequest):
                self._waiting.append(self.connection.begin_large(message, now, self._outbox))
            elif isinstance(message, dict):  # messages of WebSockets come to event loops alone
                others.append(message)
        if others:
            self._take(others)
        if self._reader.fault is not None:
            log.error("the core sent %s, so the connection ends", self._reader.fault)
            return False
        return True
