"""Loads a server at a fixed rate from outside: a request is sent when its time has come, whatever became of those before."""

import asyncio
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

REQUEST = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
LEFT = "left"
BROKEN = "broken"


@dataclass
class Outcome:
    """What the clients of one load saw. Times count from when a request was due, not from when it could be sent."""

    seconds: float
    served_seconds: list[float] = field(default_factory=list)
    """Of each answer with status 200 that came before its client left."""
    refused_seconds: list[float] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    """By the value of Handoff-Error; `left` ones gave up waiting."""
    most_late_seconds: float = 0
    """How far behind its schedule the client was at worst."""

    @property
    def goodput(self) -> float:
        return len(self.served_seconds) / self.seconds

    @property
    def requests(self) -> int:
        return len(self.served_seconds) + sum(self.others.values())


class _Connection(asyncio.Protocol):
    """A connection with one request at a time, which leaves when its patience ends."""

    def __init__(self, load: "_Load") -> None:
        self._load = load
        self._received = b""
        self._due = 0.0
        self._patience: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if self._patience is None:
            transport.close()
        else:
            transport.write(REQUEST)

    def send(self, due: float) -> None:
        self._due = due
        loop = asyncio.get_running_loop()
        self._patience = loop.call_at(due + self._load.patience_seconds, self._leave)
        if self._transport is not None:
            self._transport.write(REQUEST)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        if not found:
            return
        fields = head.decode("latin-1").lower().split("\r\n")
        length = next(int(line[15:]) for line in fields if line.startswith("content-length:"))
        if len(body) < length:
            return
        self._received = b""
        if self._answered():
            error = next((line[14:].strip() for line in fields if line.startswith("handoff-error:")), fields[0])
            self._load.answered(self._due, None if fields[0].startswith("http/1.1 200 ") else error)
        if "connection: close" in fields:
            self.close()
        else:
            self._load.idle.append(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        if self in self._load.idle:
            self._load.idle.remove(self)
        if self._answered():
            self._load.answered(self._due, BROKEN)

    def _leave(self) -> None:
        self._patience = None
        self._load.answered(self._due, LEFT)
        self.close()

    def _answered(self) -> bool:
        """Whether a request was out; from now on none is."""
        waiting = self._patience
        if waiting is None:
            return False
        waiting.cancel()
        self._patience = None
        return True


class _Load:
    def __init__(self, port: int, patience_seconds: float, warm_up_seconds: float, seconds: float) -> None:
        self.patience_seconds = patience_seconds
        self.idle: list[_Connection] = []
        self.outcome = Outcome(seconds)
        self.open = 0
        self.on_answer: Callable[[], None] = lambda: None
        self.start = self.now()
        self._port = port
        self._measured_from = self.start + warm_up_seconds
        self._end = self._measured_from + seconds
        self._opening: set[asyncio.Task[None]] = set()

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    @property
    def ended(self) -> bool:
        return self.now() >= self._end

    def send(self, due: float) -> None:
        self.open += 1
        if self._is_measured(due):
            self.outcome.most_late_seconds = max(self.outcome.most_late_seconds, self.now() - due)
        if self.idle:
            self.idle.pop().send(due)
            return
        connection = _Connection(self)
        connection.send(due)
        task = asyncio.get_running_loop().create_task(self._connect(connection))
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)

    def answered(self, due: float, error: str | None) -> None:
        self.open -= 1
        if self._is_measured(due):
            if error is None:
                self.outcome.served_seconds.append(self.now() - due)
            else:
                self.outcome.others[error] += 1
                if error not in (LEFT, BROKEN):
                    self.outcome.refused_seconds.append(self.now() - due)
        self.on_answer()

    async def settle(self) -> None:
        while self.open > 0:
            await asyncio.sleep(0.01)
        for connection in self.idle:
            connection.close()

    async def _connect(self, connection: _Connection) -> None:
        try:
            await asyncio.get_running_loop().create_connection(lambda: connection, "127.0.0.1", self._port)
        except OSError as problem:
            connection.connection_lost(problem)

    def _is_measured(self, due: float) -> bool:
        return self._measured_from <= due < self._end


def at_rate(port: int, rate: float, patience_seconds: float, warm_up_seconds: float, seconds: float) -> Outcome:
    """Offers `rate` requests per second, evenly spaced, on as many connections as it takes.

    It goes on after the measured time until the last of those requests has ended one way or the other, so that none of
    them is served only because the load was over.
    """

    async def run() -> Outcome:
        load = _Load(port, patience_seconds, warm_up_seconds, seconds)
        for number in range(math.ceil((warm_up_seconds + seconds + patience_seconds) * rate)):
            due = load.start + number / rate
            if due > load.now():
                await asyncio.sleep(due - load.now())
            load.send(due)
        await load.settle()
        return load.outcome

    return asyncio.run(run())


def closed(port: int, connections: int, patience_seconds: float, warm_up_seconds: float, seconds: float) -> Outcome:
    """Keeps so many requests out at once: what the server can do when nobody asks for more than it can."""

    async def run() -> Outcome:
        load = _Load(port, patience_seconds, warm_up_seconds, seconds)

        def send_again() -> None:
            if not load.ended:
                load.send(load.now())

        def answered() -> None:
            # Not before the connection is free again.
            asyncio.get_running_loop().call_soon(send_again)

        load.on_answer = answered
        for _ in range(connections):
            load.send(load.now())
        while not load.ended:
            await asyncio.sleep(0.05)
        await load.settle()
        return load.outcome

    return asyncio.run(run())
