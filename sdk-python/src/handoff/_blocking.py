"""The engine for code that blocks. No event loop: read, handle all that came, write all answers at once."""

import socket
import threading
import time
from collections import deque
from contextlib import suppress
from functools import partial

from handoff._application import BlockingApplication
from handoff._connection import WELCOME_SECONDS, Connection
from handoff._exchange import Exchange
from handoff._frames import FrameReader, capacity
from handoff._log import log, tell_failure
from handoff._outbox import SocketOutbox
from handoff._standing_in import Watch
from handoff._window import LARGEST, SMALLEST, Window

READ_BYTES = 64 * 1024
MOST_READ_BYTES = 1024 * 1024


class BlockingEngine:
    """
    Serves one connection, on the thread that calls `serve` and on up to `threads - 1` more.

    One thread at a time **leads**: it reads, and handles what it has read, one request after the other, without a lock or a switch
    of threads. When a request holds it up for longer than a moment, a stand-in takes the lead, sends what has been answered, and
    goes on with the requests behind; the thread it took over from finishes its request, and stands in for others then. So code
    that answers at once costs no more than on one thread, and code that waits delays nobody.

    `_held` has in it the request that the leader is handling. Whoever takes it out leads.
    """

    def __init__(self, core: socket.socket, application: BlockingApplication, window: int | None, threads: int) -> None:
        """A `window` of None follows the handler."""
        self._core = core
        self._application = application
        self._window = Window(max(threads, SMALLEST), LARGEST) if window is None else Window(window, window)
        self._reader = FrameReader()
        self._outbox = SocketOutbox(core)
        self.connection = Connection(self._outbox.send)
        self._waiting: deque[Exchange] = deque()
        self._held: deque[Exchange] = deque()
        self._watch = Watch(self._held)
        self._spare_threads = threads - 1
        self._released: set[int] = set()
        """Requests that have been answered with a failure, while a thread goes on with them."""
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
        self._outbox.send(capacity(self._window.size))
        if self._spare_threads:
            self._add_stand_in()
        else:
            threading.Thread(target=self._send_early, name="handoff-sender", daemon=True).start()
        self._lead()
        self._stand_in()

    def leave(self) -> None:
        """Says drain; may be called by a signal handler, whatever the thread is doing."""
        with suppress(OSError):  # reading tells the end of the connection better
            self.connection.leave()

    def _lead(self) -> None:
        """Handles and reads until a stand-in has taken over, or the connection ends."""
        try:
            while True:
                requests, began = len(self._waiting), self._read_at
                if not self._handle_waiting():
                    return
                if self._window.after(requests, time.monotonic() - began):
                    self._send_capacity()
                self._outbox.flush()
                if not self._read():
                    break
        except OSError as problem:
            log.warning("the core is gone: %s", problem)
        except BaseException:
            self._finish()
            raise
        self._finish()

    def _handle_waiting(self) -> bool:
        """Handles all that has come; returns False if another leads by now."""
        waiting, held, watch, begin = self._waiting, self._held, self._watch, self._application.begin
        while waiting:
            exchange = waiting.popleft()
            held.append(exchange)
            if watch.asleep:
                watch.wake()
            try:
                if self.connection.leaving:
                    exchange.fail("this worker is leaving", retry=True)
                else:
                    begin(exchange)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001  whatever it is, the id has to be answered
                tell_failure(exchange, error, self._application.name)
            try:
                held.pop()
            except IndexError:
                # The new leader waits for requests, perhaps: this answer has to leave by itself.
                self._finished_late(exchange)
                return False
        return True

    def _send_early(self) -> None:
        """Where nobody can stand in: what has been answered need not wait for the request that holds up the others."""
        with suppress(OSError):  # which the leader finds out as well
            while self._watch.await_held_up():
                self._outbox.flush()

    def _stand_in(self) -> None:
        """Takes the lead whenever the leader is held up, until the connection ends."""
        while not self._over:
            stuck = self._watch.await_stuck()
            if stuck is None:
                return
            self.connection.in_flight[stuck.id] = stuck
            stuck.on_cancel(partial(self._release, stuck))
            if stuck.answered:  # in this moment; its thread may have looked already
                self.connection.in_flight.pop(stuck.id, None)
            self._add_stand_in()
            self._lead()

    def _finished_late(self, exchange: Exchange) -> None:
        if self.connection.in_flight.pop(exchange.id, None) is None and exchange.id in self._released:
            self._released.discard(exchange.id)
            self._send_capacity()
        self._outbox.flush()

    def _release(self, exchange: Exchange, reason: str) -> None:
        """
        Gives the id of a request back whose client has left, although its thread goes on; the window is smaller until that is free.

        Otherwise the core would take this worker for stuck, and end it with all that others wait for. A request that is past its
        deadline keeps its id: perhaps its thread never ends, and then a new worker is the cure.
        """
        if reason != "client_gone" or self._over:
            return
        self._released.add(exchange.id)
        if self.connection.in_flight.pop(exchange.id, None) is None:  # it has ended at this moment
            self._released.discard(exchange.id)
            return
        exchange.fail("its client has left")
        self._send_capacity()

    def _send_capacity(self) -> None:
        self._outbox.put(0, capacity(max(1, self._window.size - len(self._released))), b"")

    def _add_stand_in(self) -> None:
        if self._spare_threads > 0 and not self._watch.waiting_threads:
            self._spare_threads -= 1
            threading.Thread(target=self._stand_in, name="handoff-stand-in", daemon=True).start()

    def _finish(self) -> None:
        self._over = True
        self._watch.end()
        self.connection.cancel_all()
        with suppress(OSError):  # so that the core does not wait for answers either
            self._core.shutdown(socket.SHUT_RDWR)

    def _read(self) -> bool:
        """Takes what has come, and waits for something if nothing has; returns False at the end of the connection."""
        chunk = self._core.recv(min(max(READ_BYTES, self._reader.missing), MOST_READ_BYTES))
        if not chunk:
            return False
        self._read_at = now = time.monotonic()
        for message in self._reader.feed(chunk):
            if isinstance(message, tuple):
                request_id, millis, json, body = message
                self._waiting.append(Exchange(request_id, json, body, now + millis / 1000, self._outbox))
            else:
                self.connection.take(message)
        if self._reader.fault is not None:
            log.error("the core sent %s; the connection ends", self._reader.fault)
            return False
        return True
