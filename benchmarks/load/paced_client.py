"""A normal client: asks at a fixed rate, over a few connections, whatever the server's answers take.

The harness starts it as `python3 -m load.paced_client`; see `parse`. It prints one line of JSON (`Figures`).

The load is open: every request has a time at which it is meant to leave, and its latency counts from that time, so that a
stall costs all the requests that it holds up and not one of each connection. How late this process itself came to send is
told apart, since on few cores that is latency of the machine and not of the server.
"""

import argparse
import gc
import json
import select
import socket
import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass

HOST = "127.0.0.1"
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
LAST_ANSWERS_SECONDS = 10.0
READ_BYTES = 65536
HEAD_END = b"\r\n\r\n"
LENGTH = b"\r\ncontent-length:"


@dataclass(frozen=True)
class Figures:
    """Times in microseconds."""

    answers: int
    errors: int
    """Answers other than 200, broken connections, and requests without an answer in the end."""
    p50: float
    p90: float
    p99: float
    p999: float
    most: float
    late_p99: float
    """By which 99 of 100 requests left at most too late although a connection was free."""
    cpu_seconds: float


def percentile(sorted_values: Sequence[float], percent: float) -> float:
    """The least value that so many percent of all do not exceed; 0 of none."""
    if not sorted_values:
        return 0.0
    rank = -(-len(sorted_values) * percent // 100)
    return sorted_values[max(0, int(rank) - 1)]


def answer_end(buffer: bytes) -> int:
    """Where the first answer ends, or -1 while it is not whole."""
    head_end = buffer.find(HEAD_END)
    if head_end < 0:
        return -1
    head = buffer[:head_end].lower()
    begin = head.find(LENGTH)
    length = 0 if begin < 0 else int(head[begin + len(LENGTH) :].split(b"\r\n", 1)[0])
    end = head_end + len(HEAD_END) + length
    return end if len(buffer) >= end else -1


class Connection:
    """Asks one request at a time."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket = self._connect()
        self._received = b""
        self.intended = 0.0

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, intended: float) -> None:
        self.intended = intended
        self._received = b""
        self._socket.sendall(REQUEST)

    def receive(self) -> bytes:
        """The answer when it is whole, else nothing."""
        data = self._socket.recv(READ_BYTES)
        if not data:
            raise ConnectionResetError("closed in a request")
        self._received += data
        return self._received if answer_end(self._received) >= 0 else b""

    def reconnect(self) -> None:
        self._socket.close()
        self._socket = self._connect()

    def _connect(self) -> socket.socket:
        connection = socket.create_connection((HOST, self._port), timeout=LAST_ANSWERS_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection


class PacedClient:
    def __init__(self, port: int, rate: int, connections: int, seconds: float) -> None:
        self._interval = 1 / rate
        self._left = int(rate * seconds)
        self._free = [Connection(port) for _ in range(connections)]
        self._busy: list[Connection] = []
        self._waiting: deque[float] = deque()
        """When those that found no free connection were meant to leave."""
        self._latencies: list[float] = []
        self._lateness: list[float] = []
        self._errors = 0

    def run(self) -> Figures:
        cpu_before = time.process_time()
        next_intended = time.monotonic() + self._interval
        while self._left:
            self._receive(max(0.0, next_intended - time.monotonic()))
            now = time.monotonic()
            while self._left and next_intended <= now:
                self._left -= 1
                if self._free:
                    self._lateness.append(now - next_intended)
                self._waiting.append(next_intended)
                next_intended += self._interval
                self._send_waiting()
        deadline = time.monotonic() + LAST_ANSWERS_SECONDS
        while self._busy and time.monotonic() < deadline:
            self._receive(deadline - time.monotonic())
        return self._figures(time.process_time() - cpu_before)

    def _send_waiting(self) -> None:
        while self._waiting and self._free:
            connection = self._free.pop()
            try:
                connection.send(self._waiting.popleft())
                self._busy.append(connection)
            except OSError:
                self._failed(connection)

    def _receive(self, seconds: float) -> None:
        readable, _, _ = select.select(self._busy, [], [], seconds)
        for connection in readable:
            try:
                answer = connection.receive()
            except OSError:
                self._busy.remove(connection)
                self._failed(connection)
                continue
            if answer:
                self._busy.remove(connection)
                self._free.append(connection)
                self._latencies.append(time.monotonic() - connection.intended)
                self._errors += not answer.startswith(b"HTTP/1.1 200 ")
        self._send_waiting()

    def _failed(self, connection: Connection) -> None:
        self._errors += 1
        connection.reconnect()
        self._free.append(connection)

    def _figures(self, cpu_seconds: float) -> Figures:
        latencies = sorted(seconds * 1e6 for seconds in self._latencies)
        lateness = sorted(seconds * 1e6 for seconds in self._lateness)
        return Figures(
            answers=len(latencies),
            errors=self._errors + len(self._busy) + len(self._waiting),
            p50=percentile(latencies, 50),
            p90=percentile(latencies, 90),
            p99=percentile(latencies, 99),
            p999=percentile(latencies, 99.9),
            most=percentile(latencies, 100),
            late_p99=percentile(lateness, 99),
            cpu_seconds=cpu_seconds,
        )


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--rate", type=int, required=True, help="requests per second")
    parser.add_argument("--connections", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> None:
    options = parse(arguments)
    gc.disable()  # nothing here needs it
    client = PacedClient(options.port, options.rate, options.connections, options.seconds)
    print(json.dumps(asdict(client.run())), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
