"""Thousands of connections that send or take a few bytes now and then, in one process.

The harness starts it as `python3 -m load.tricklers`; see `parse`. It prints a line of JSON a second (`Counts`), and ends
when its input does, or after the time it was given. Loopback only.

On loopback, the kernel does the receiver's share of the work in the sender's time: 10,000 bytes a second take about a
fifth of a core. They are spread evenly, so that what the server sees is a drizzle and not a wave.
"""

import argparse
import gc
import json
import random
import resource
import select
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, islice, repeat

from load import descriptors

HOST = "127.0.0.1"
REPORT_SECONDS = 1.0
TURN_SECONDS = 0.002
"""Sleep between two turns; what becomes due meanwhile leaves together."""
STUCK_SECONDS = 0.1
"""After a longer pause, what was not opened meanwhile is not made up for at once."""
READ_BYTES = 4096
SLOW_READ_BYTES = 64
SLOW_RECEIVE_BUFFER_BYTES = 4096


@dataclass(frozen=True)
class Kind:
    """One way to hold a connection."""

    name: str
    percent: int
    at_once: bytes
    """What is sent first, in one piece."""
    trickled: Callable[[], Iterator[bytes]]
    """What is sent then, piece by piece."""
    reads_slowly: bool = False
    """Takes a few bytes of the answer instead of sending."""


def _single_bytes(text: bytes) -> Iterator[bytes]:
    return (text[i : i + 1] for i in range(len(text)))


def _head() -> Iterator[bytes]:
    return chain(_single_bytes(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "), repeat(b"a"))


def _fill() -> Iterator[bytes]:
    return repeat(b"a")


def _nothing() -> Iterator[bytes]:
    return repeat(b"")


def _post(framing: bytes) -> bytes:
    return b"POST / HTTP/1.1\r\nHost: localhost\r\n" + framing + b"\r\n\r\n"


KINDS = (
    Kind("head", 75, b"", _head),
    Kind("body", 10, _post(b"Content-Length: 1000000"), _fill),
    Kind("chunk", 5, _post(b"Transfer-Encoding: chunked") + b"fffff\r\n", _fill),
    Kind("chunk-size", 5, _post(b"Transfer-Encoding: chunked") + b"1;a=", _fill),
    Kind("reader", 5, b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n", _nothing, reads_slowly=True),
)


def mixed(count: int) -> list[Kind]:
    """So many connections; every hundred of them have the shares that the kinds say, in the same order each time."""
    hundred = [kind for kind in KINDS for _ in range(kind.percent)]
    random.Random(1).shuffle(hundred)
    return list(islice(chain.from_iterable(repeat(hundred)), count))


@dataclass
class Counts:
    """What has happened so far."""

    at: float = 0
    """By the clock that all processes share (`time.monotonic`)."""
    open: int = 0
    """Connections at this moment."""
    opened: int = 0
    ended: int = 0
    """By the server, or broken."""
    failed: int = 0
    """Connections that could not be opened, or met an error other than their end."""
    sent_bytes: int = 0
    answers: dict[str, int] = field(default_factory=dict)
    """By status; only the first one of a connection counts."""
    cpu_seconds: float = 0
    longest_turn_seconds: float = 0
    """How long some byte, or the news of an end, waited for this process at most; since the last report."""


class Trickler:
    """One connection."""

    def __init__(self, kind: Kind, connection: socket.socket) -> None:
        self.kind = kind
        self.connection = connection
        self.pieces = kind.trickled()
        self.unsent = kind.at_once
        self.status = 0

    def next_piece(self) -> bytes:
        return self.unsent or next(self.pieces)


class Crowd:
    """All connections. Whoever loses one opens another of the same kind."""

    def __init__(self, port: int, kinds: Sequence[Kind], opens_per_second: int, pause_seconds: float) -> None:
        self._address = (HOST, port)
        self._to_open = deque(kinds)
        self._open_seconds = 1 / opens_per_second
        self._pause_seconds = pause_seconds
        self._next_open = time.monotonic()
        self._due: deque[tuple[float, Trickler]] = deque()
        """In the order of their times, since all pause equally long."""
        self._by_descriptor: dict[int, Trickler] = {}
        self._epoll = select.epoll()
        self.counts = Counts()

    def turn(self) -> None:
        """Does what is due, and takes the news."""
        begin = time.monotonic()
        self._open_due(begin)
        self._feed_due(begin)
        for descriptor, events in self._epoll.poll(0, -1):
            self._news(self._by_descriptor[descriptor], events)
        now = time.monotonic()
        self.counts.longest_turn_seconds = max(self.counts.longest_turn_seconds, now - begin)

    def report(self) -> str:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        counts = self.counts
        counts.at, counts.open = time.monotonic(), len(self._by_descriptor)
        counts.cpu_seconds = usage.ru_utime + usage.ru_stime
        line = json.dumps(asdict(counts))
        counts.longest_turn_seconds = 0
        return line

    def _open_due(self, now: float) -> None:
        if now - self._next_open > STUCK_SECONDS or not self._to_open:
            self._next_open = now
        while self._to_open and self._next_open <= now:
            self._next_open += self._open_seconds
            self._open(self._to_open.popleft(), now)

    def _open(self, kind: Kind, now: float) -> None:
        connection = socket.socket()
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if kind.reads_slowly:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SLOW_RECEIVE_BUFFER_BYTES)
        try:
            connection.connect(self._address)
        except BlockingIOError:
            pass  # under way; nothing is sent before a pause has passed anyway
        except OSError:
            self.counts.failed += 1
            self._to_open.append(kind)
            connection.close()
            return
        self.counts.opened += 1
        trickler = Trickler(kind, connection)
        self._by_descriptor[connection.fileno()] = trickler
        # An end shows even to one that does not read.
        self._epoll.register(connection, select.EPOLLRDHUP if kind.reads_slowly else select.EPOLLIN)
        self._due.append((now + self._pause_seconds, trickler))

    def _feed_due(self, now: float) -> None:
        while self._due and self._due[0][0] <= now:
            _, trickler = self._due.popleft()
            if trickler.connection.fileno() < 0:
                continue
            self._due.append((now + self._pause_seconds, trickler))
            try:
                self._feed(trickler)
            except BlockingIOError:
                pass  # not connected yet, or nothing more fits: again after the pause
            except ConnectionError:
                self._ended(trickler)
            except OSError:
                self.counts.failed += 1
                self._ended(trickler)

    def _feed(self, trickler: Trickler) -> None:
        if trickler.status >= 400:
            return  # refused; the end will come
        piece = trickler.next_piece()
        if piece:
            trickler.unsent = piece
            trickler.unsent = piece[trickler.connection.send(piece) :]
            self.counts.sent_bytes += len(piece)
        elif trickler.kind.reads_slowly:
            self._read(trickler, SLOW_READ_BYTES)

    def _news(self, trickler: Trickler, events: int) -> None:
        try:
            if trickler.kind.reads_slowly or not events & select.EPOLLIN:
                self._ended(trickler)
            else:
                self._read(trickler, READ_BYTES)
        except BlockingIOError:
            pass
        except OSError:
            self._ended(trickler)

    def _read(self, trickler: Trickler, most: int) -> None:
        data = trickler.connection.recv(most)
        if not data:
            self._ended(trickler)
        elif trickler.status == 0:
            status = data[len("HTTP/1.1 ") :][:3].decode("latin-1")
            trickler.status = int(status) if status.isdigit() else 0
            self.counts.answers[status] = self.counts.answers.get(status, 0) + 1

    def _ended(self, trickler: Trickler) -> None:
        del self._by_descriptor[trickler.connection.fileno()]
        trickler.connection.close()
        self.counts.ended += 1
        self._to_open.append(trickler.kind)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--connections", type=int, required=True)
    parser.add_argument("--opens-per-second", type=int, required=True, help="at most, also of those that come again")
    parser.add_argument("--pause", type=float, required=True, help="seconds between two pieces of one connection")
    parser.add_argument("--seconds", type=float, required=True, help="at most")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> None:
    options = parse(arguments)
    descriptors.allow(options.connections)
    gc.disable()  # nothing here needs it, and its pauses would come in waves
    crowd = Crowd(options.port, mixed(options.connections), options.opens_per_second, options.pause)
    end = time.monotonic() + options.seconds
    next_report = 0.0
    while time.monotonic() < end and not _input_ended():
        crowd.turn()
        time.sleep(TURN_SECONDS)
        if time.monotonic() >= next_report:
            next_report = time.monotonic() + REPORT_SECONDS
            print(crowd.report(), flush=True)


def _input_ended() -> bool:
    return bool(select.select([sys.stdin], [], [], 0)[0])


if __name__ == "__main__":
    main(sys.argv[1:])
