"""Clients of WebSockets that send a message, wait until it is back, and send the next, in one process.

The harness starts it as `python3 -m load.echoers`; see `parse`. It prints how many are open when all are. A line of input begins the
measurement; after its time it prints a line of JSON (`Figures`). The end of input ends it.
"""

import argparse
import json
import select
import socket
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from load import descriptors
from load.paced_client import percentile

HOST = "127.0.0.1"
PATIENCE_SECONDS = 30.0
HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
PING = b"\x89\x00"
PONG = b"\x8a\x80\x00\x00\x00\x00"


@dataclass(frozen=True)
class Figures:
    """Times in microseconds, from when a message was sent to when it was back."""

    seconds: float
    messages: int
    p50: float
    p99: float
    most: float


class Echoers:
    def __init__(self, port: int, sockets: int, message_bytes: int) -> None:
        # A client's frame has a mask; zeros change nothing.
        self._frame = b"\x82" + bytes([0x80 | message_bytes]) + bytes(4) + b"x" * message_bytes
        self._back = b"\x82" + bytes([message_bytes]) + b"x" * message_bytes
        self._epoll = select.epoll()
        self._sockets: dict[int, socket.socket] = {}
        self._sent: dict[int, float] = {}
        self._unread: dict[int, bytes] = {}
        self.times: list[float] = []
        for _ in range(sockets):
            self._open(port)

    def _open(self, port: int) -> None:
        opened = socket.create_connection((HOST, port), PATIENCE_SECONDS)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        opened.sendall(HANDSHAKE)
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = opened.recv(1)
            if not byte:
                raise SystemExit(f"the server closed a handshake: {head!r}")
            head += byte
        if not head.startswith(b"HTTP/1.1 101"):
            raise SystemExit(f"the server refused a handshake: {head!r}")
        opened.setblocking(False)
        self._sockets[opened.fileno()] = opened
        self._unread[opened.fileno()] = b""
        self._epoll.register(opened, select.EPOLLIN)

    def measure(self, seconds: float) -> Figures:
        begun = time.monotonic()
        for number in self._sockets:
            self._send(number)
        while time.monotonic() - begun < seconds:
            self._turn()
        lasted = time.monotonic() - begun
        micros = sorted(each * 1e6 for each in self.times)
        return Figures(lasted, len(micros), percentile(micros, 50), percentile(micros, 99), micros[-1])

    def _send(self, number: int) -> None:
        self._sent[number] = time.monotonic()
        self._sockets[number].send(self._frame)

    def _turn(self) -> None:
        for number, _ in self._epoll.poll(0.1):
            came = self._unread[number] + self._sockets[number].recv(4096)
            if came.startswith(PING):
                self._sockets[number].send(PONG)
                came = came[len(PING) :]
            if came == self._back:
                self.times.append(time.monotonic() - self._sent[number])
                self._unread[number] = b""
                self._send(number)
            elif self._back.startswith(came):
                self._unread[number] = came
            else:
                raise SystemExit(f"something else came back: {came!r}")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--sockets", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--bytes", type=int, default=32, help="of a message, up to 125")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> None:
    options = parse(arguments)
    descriptors.allow(options.sockets + 100)
    echoers = Echoers(options.port, options.sockets, options.bytes)
    print(options.sockets, flush=True)
    if sys.stdin.readline():
        print(json.dumps(asdict(echoers.measure(options.seconds))), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
