"""What a client may hold at a server, and the clients that hold it."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from load.echoers import HANDSHAKE

from harness.load import LoadFailed

PATIENCE_SECONDS = 30.0
UPLOAD_BYTES = 64 << 10
SENT_BYTES = UPLOAD_BYTES // 2
READ_BYTES = 4096
SERVED = (b"HTTP/1.1 200 ", b"HTTP/1.1 101 ")


@dataclass(frozen=True)
class Kind:
    key: str
    title: str
    sent: bytes
    awaited: bytes
    """The end of what comes back before the next one is opened; nothing where nothing comes back."""
    counted: str
    """Where the statistics count how many are held."""
    tls: bool = False
    elsewhere: int = 0
    """So many of those that are opened first are not counted there."""
    window: int = 0
    """Requests that the worker takes at once; as many as there are where it is 0."""


def request(head: str) -> bytes:
    return f"{head} HTTP/1.1\r\nHost: localhost\r\n".encode()


HELLO = request("GET /") + b"\r\n"
WAIT = request("GET /wait") + b"\r\n"
UPLOAD = request("POST /") + b"Content-Length: %d\r\n\r\n" % UPLOAD_BYTES + b"x" * SENT_BYTES
AT_WORKER, IN_QUEUE = "pools.0.inFlight", "pools.0.queue.depth"

KINDS = {
    kind.key: kind
    for kind in (
        Kind("idle", "idle connection", HELLO, b"hello\n", "connections.idle"),
        Kind("tls", "idle TLS connection", HELLO, b"hello\n", "connections.idle", tls=True),
        Kind("worker", "request in flight at the worker", WAIT, b"", AT_WORKER),
        Kind(
            "queue",
            "request in the pool's queue",
            WAIT,
            b"",
            IN_QUEUE,
            elsewhere=1,  # the worker has it
            window=1,
        ),
        Kind("stream", "open streamed response", request("GET /stream") + b"\r\n", b"begun\n\r\n", "streams.open"),
        Kind("websocket", "open WebSocket", HANDSHAKE, b"\r\n\r\n", "webSockets.open"),
        Kind(
            "upload",
            f"upload that has sent {SENT_BYTES >> 10} of {UPLOAD_BYTES >> 10} KiB",
            UPLOAD,
            b"",
            "connections.active",
        ),
    )
}


class Holders:
    """Clients that each hold one of a kind, until they are closed."""

    def __init__(self, kind: Kind, port: int, stack: ExitStack) -> None:
        self._kind, self._port, self._stack = kind, port, stack
        self._context = _trusting() if kind.tls else None
        self.count = 0

    def open_until(self, count: int) -> None:
        """Opens one after the other until there are so many."""
        while self.count < count:
            self._open()
            self.count += 1

    def _open(self) -> None:
        client = self._stack.enter_context(socket.create_connection(("127.0.0.1", self._port), PATIENCE_SECONDS))
        if self._context:
            client = self._stack.enter_context(self._context.wrap_socket(client))
        client.sendall(self._kind.sent)
        came = b""
        while not came.endswith(self._kind.awaited):
            some = client.recv(READ_BYTES)
            came += some
            if not some or not any(start.startswith(came[: len(start)]) for start in SERVED):
                raise LoadFailed(f"{self._kind.title} number {self.count + 1}: {came[:200]!r} came")


@contextmanager
def holders(kind: Kind, port: int) -> Iterator[Holders]:
    with ExitStack() as stack:
        yield Holders(kind, port, stack)


def _trusting() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    # What checking costs is the client's own affair.
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    return context
