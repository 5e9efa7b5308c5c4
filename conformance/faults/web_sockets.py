"""Clients of WebSockets, thousands in one process: each has to hear how it ends."""

import resource
import select
import socket
import time
from collections import Counter
from collections.abc import Callable

HOST = "127.0.0.1"
PATIENCE_SECONDS = 60.0
MESSAGE = b"\x82\x84\x00\x00\x00\x00ping"
"""A client's frame; its mask is zeros."""
ECHO = b"\x82\x04ping"
PING, PONG = b"\x89\x00", b"\x8a\x80\x00\x00\x00\x00"
CLOSE = 0x88
SILENT = "closed without a word"
OTHER_DESCRIPTORS = 500
"""What the process may need besides."""


def _allow_descriptors(count: int) -> None:
    wanted = count + OTHER_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY != soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class Sockets:
    def __init__(self, port: int, paths: list[str], count: int) -> None:
        self._epoll = select.epoll()
        self._open: dict[int, socket.socket] = {}
        self._unread: dict[int, bytes] = {}
        self._silent: set[int] = set()
        """Those whose echo has not come."""
        self.ends: Counter[str] = Counter()
        _allow_descriptors(count)
        for number in range(count):
            self._connect(port, paths[number % len(paths)])

    @property
    def open(self) -> int:
        return len(self._open)

    def echo(self) -> bool:
        """Whether all that are open get a message back, or hear how they end, in time."""
        self._silent = set(self._open)
        for client in self._open.values():
            client.send(MESSAGE)
        return self._until(lambda: not self._silent)

    def look(self) -> None:
        self._turn()

    def close(self) -> None:
        for client in self._open.values():
            client.close()
        self._open.clear()

    def _connect(self, port: int, path: str) -> None:
        client = socket.create_connection((HOST, port), PATIENCE_SECONDS)
        key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
        fields = f"Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n{key}"
        client.sendall(f"GET {path} HTTP/1.1\r\n{fields}\r\n\r\n".encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):  # nothing follows before the first message is sent
            part = client.recv(4096)
            assert part, f"a handshake ended with {head!r}"
            head += part
        assert head.startswith(b"HTTP/1.1 101"), head
        client.setblocking(False)
        self._open[client.fileno()] = client
        self._unread[client.fileno()] = b""
        self._epoll.register(client, select.EPOLLIN)

    def _until(self, holds: Callable[[], bool]) -> bool:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            if time.monotonic() > deadline:
                return False
            self._turn()
        return True

    def _turn(self) -> None:
        for number, _ in self._epoll.poll(0.1):
            try:
                came = self._open[number].recv(65536)
            except ConnectionResetError:
                came = b""
            self._take(number, self._unread[number] + came, not came)

    def _take(self, number: int, unread: bytes, ended: bool) -> None:
        while unread:
            if unread.startswith(ECHO):
                self._silent.discard(number)
                unread = unread[len(ECHO) :]
            elif unread.startswith(PING):
                self._open[number].send(PONG)
                unread = unread[len(PING) :]
            elif unread[0] == CLOSE and len(unread) >= 4 and len(unread) >= 2 + unread[1]:
                self._over(number, str(int.from_bytes(unread[2:4], "big")))
                return
            else:
                break
        self._unread[number] = unread
        if ended:
            self._over(number, SILENT)

    def _over(self, number: int, how: str) -> None:
        """Answers a close by the end of the connection, which every server has to bear."""
        self.ends[how] += 1
        self._silent.discard(number)
        self._epoll.unregister(number)
        self._open.pop(number).close()
