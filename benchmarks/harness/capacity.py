"""What thousands of connections cost and where they end: descriptors, memory, the backlog, ports."""

import selectors
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness import process_tree
from harness.load import run_wrk
from harness.peers import Peer
from harness.server import Server, running
from harness.tuning_topics import KEPT

HELD = 9_900
"""Connections held at once; --max-connections is 10,000."""
BURST = 6_000
"""Connections at once at a server that accepts none: more than a backlog of 4096."""
SETTLE_SECONDS = 0.8
"""Before a client of the burst sends its SYN again, which it does after 1 s."""
LIMIT_SECONDS = 30
TIME_WAIT = "06"
SOMAXCONN = Path("/proc/sys/net/core/somaxconn")


@dataclass(frozen=True)
class Held:
    connections: int
    descriptors: int
    memory_bytes: float


@dataclass(frozen=True)
class Burst:
    connections: int
    somaxconn: int
    at_once: int
    """Established while nothing was accepted."""
    refused: int
    in_the_end: int
    seconds: float
    """Until the last was established, once the server accepted again."""


@dataclass(frozen=True)
class Ports:
    title: str
    requests: int
    waiting: int
    """Connections in TIME_WAIT after the load, each of which occupies a port."""


def hold(peer: Peer, logs: Path) -> Held:
    """What idle connections add to a server that has answered some load."""
    with running(peer, logs, KEPT) as server:
        run_wrk(server.port, KEPT, 64, 1)
        descriptors = _descriptors(server)
        memory = process_tree.memory_bytes(server.process.pid)
        with ExitStack() as clients:
            for _ in range(HELD):
                clients.enter_context(socket.create_connection(("127.0.0.1", server.port), LIMIT_SECONDS))
            server.check(KEPT)
            return Held(
                HELD, _descriptors(server) - descriptors, process_tree.memory_bytes(server.process.pid) - memory
            )


def burst(peer: Peer, logs: Path) -> Burst:
    """The server is stopped as a busy one would be for a moment, and goes on."""
    with running(peer, logs, KEPT) as server, ExitStack() as clients:
        with stopped(server):
            waiting = selectors.DefaultSelector()
            clients.enter_context(waiting)
            for _ in range(BURST):
                client = clients.enter_context(socket.socket())
                client.setblocking(False)
                client.connect_ex(("127.0.0.1", server.port))
                waiting.register(client, selectors.EVENT_WRITE)
            refused = _settle(waiting, SETTLE_SECONDS)
            at_once = BURST - len(waiting.get_map()) - refused
        clock = time.monotonic()
        refused += _settle(waiting, LIMIT_SECONDS)
        seconds = time.monotonic() - clock
        in_the_end = BURST - len(waiting.get_map()) - refused
        return Burst(BURST, int(SOMAXCONN.read_text()), at_once, refused, in_the_end, seconds)


def ports(peer: Peer, logs: Path, seconds: int) -> Ports:
    before = _waiting()
    with running(peer, logs, KEPT) as server:
        load = run_wrk(server.port, KEPT, 64, seconds)
        return Ports(peer.title, load.requests, max(0, _waiting() - before))


@contextmanager
def stopped(server: Server) -> Iterator[None]:
    server.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        server.process.send_signal(signal.SIGCONT)


def _settle(waiting: selectors.BaseSelector, seconds: float) -> int:
    """Takes out what is established or refused within so many seconds, and counts the refused."""
    refused = 0
    deadline = time.monotonic() + seconds
    while waiting.get_map() and (left := deadline - time.monotonic()) > 0:
        for key, _ in waiting.select(left):
            client = key.fileobj
            assert isinstance(client, socket.socket)
            refused += client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0
            waiting.unregister(client)
    return refused


def _descriptors(server: Server) -> int:
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


def _waiting() -> int:
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return sum(line.split()[3] == TIME_WAIT for line in lines)
