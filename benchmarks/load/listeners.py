"""Thousands of clients of event streams, in one process.

The harness starts it as `python3 -m load.listeners`; see `parse`. It prints how many streams are open when all are, or when the time
for that is over. A line of input begins the measurement, the end of input ends it; then it prints a line of JSON (`Figures`).

With --slow each client takes a byte a second instead, through a small receive buffer.
"""

import argparse
import gc
import json
import re
import resource
import select
import socket
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from load import descriptors
from load.paced_client import percentile

HOST = "127.0.0.1"
OPENING_SECONDS = 30.0
OPENS_PER_SECOND = 500
READ_BYTES = 65536
SLOW_RECEIVE_BUFFER_BYTES = 4096
SLOW_SECONDS = 1.0
TURN_SECONDS = 0.002
SERVED = b"HTTP/1.1 200"
EVENT = re.compile(rb"data: ([0-9.]+)\n\n")


@dataclass(frozen=True)
class Figures:
    """Delays in microseconds, from when an event was made to when this process read it."""

    seconds: float
    open: int
    ended: int
    """By the server, since the start."""
    first_p50: float
    """From the request to the first event of a client."""
    first_p99: float
    events: int
    p50: float
    p99: float
    most: float
    cpu_seconds: float


class Listeners:
    def __init__(self, port: int, target: str, streams: int, slow: bool) -> None:
        self._port, self._slow, self._streams = port, slow, streams
        self._request = f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        self._epoll = select.epoll()
        self._open: dict[int, socket.socket] = {}
        self._heard: set[int] = set()
        self._asked: dict[int, float] = {}
        """When those asked that have not heard."""
        self._first: list[float] = []
        self._unread: dict[int, bytes] = {}
        self._next_slow = 0.0
        self.ended = 0
        self.delays: list[float] = []

    @property
    def heard(self) -> int:
        """How many have had a response."""
        return len(self._heard)

    def open(self) -> int:
        """Opens all, and returns how many have had a response when that is over."""
        deadline = time.monotonic() + OPENING_SECONDS
        self.connect()
        while self.heard < len(self._open) and time.monotonic() < deadline:
            self.turn(0.05)
        return self.heard

    def connect(self) -> None:
        begun = time.monotonic()
        for number in range(self._streams):
            # Paced, since a burst of so many is overload, which servers may refuse.
            while (ahead := begun + number / OPENS_PER_SECOND - time.monotonic()) > 0:
                self.turn(ahead)
            client = socket.socket()
            if self._slow:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SLOW_RECEIVE_BUFFER_BYTES)
            client.connect((HOST, self._port))
            self._asked[client.fileno()] = time.monotonic()
            client.sendall(self._request)
            client.setblocking(False)
            self._open[client.fileno()] = client
            self._epoll.register(client, select.EPOLLIN)
            self.turn(0)

    def turn(self, seconds: float) -> None:
        for descriptor, _ in self._epoll.poll(seconds, -1):
            client = self._open[descriptor]
            if self._slow:
                if client.recv(len(SERVED), socket.MSG_PEEK) == SERVED:
                    self._heard.add(descriptor)
                self._epoll.unregister(client)  # from now on one that is served is asked once a second
            else:
                self._read(client, READ_BYTES)
        if self._slow and time.monotonic() >= self._next_slow:
            self._next_slow = time.monotonic() + SLOW_SECONDS
            for descriptor in self._heard & self._open.keys():
                self._read(self._open[descriptor], 1)

    def _read(self, client: socket.socket, most: int) -> None:
        descriptor = client.fileno()
        try:
            data = client.recv(most)
        except BlockingIOError:
            return
        except ConnectionError:
            data = b""
        if not data:
            del self._open[descriptor]
            client.close()
            self.ended += 1
            return
        if self._slow:
            return
        now = time.monotonic()
        text = self._unread.pop(descriptor, b"") + data
        found = None
        for found in EVENT.finditer(text):
            self.delays.append(now - float(found[1]))
        if found:
            self._heard.add(descriptor)
            if asked := self._asked.pop(descriptor, None):
                self._first.append(now - asked)
        # An event that came in part, or the head.
        if rest := text[found.end() if found else 0 :]:
            self._unread[descriptor] = rest[-4096:]

    def figures(self, seconds: float, cpu_seconds: float) -> Figures:
        delays = sorted(delay * 1e6 for delay in self.delays)
        first = sorted(delay * 1e6 for delay in self._first)
        return Figures(
            seconds=seconds,
            open=len(self._open),
            ended=self.ended,
            first_p50=percentile(first, 50),
            first_p99=percentile(first, 99),
            events=len(delays),
            p50=percentile(delays, 50),
            p99=percentile(delays, 99),
            most=percentile(delays, 100),
            cpu_seconds=cpu_seconds,
        )


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--streams", type=int, required=True)
    parser.add_argument("--slow", action="store_true")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> None:
    options = parse(arguments)
    descriptors.allow(options.streams)
    gc.disable()  # nothing here needs it, and its pauses would come in waves
    listeners = Listeners(options.port, options.target, options.streams, options.slow)
    print(listeners.open(), flush=True)
    begun, cpu_begun = time.monotonic(), _cpu_seconds()
    while True:
        listeners.turn(TURN_SECONDS)
        if select.select([sys.stdin], [], [], 0)[0]:
            if not sys.stdin.readline():
                break
            begun, cpu_begun = time.monotonic(), _cpu_seconds()
            listeners.delays.clear()
    figures = listeners.figures(time.monotonic() - begun, _cpu_seconds() - cpu_begun)
    print(json.dumps(asdict(figures)), flush=True)


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main(sys.argv[1:])
