"""What a server's memory is for: one more connection, request or stream of each kind, and the whole at three moments."""

import time
from dataclasses import dataclass
from pathlib import Path

from harness import process_tree
from harness.clients import run_fast_paced
from harness.counted import await_counts
from harness.held_kinds import KINDS, Kind, holders
from harness.live_heap import Heap, grown_by, live_heap
from harness.load import LoadFailed, run_wrk
from harness.peers import Peer
from harness.server import Server, running
from harness.shapes import SHAPES, Shape
from harness.streams import Memory, memory
from harness.tls_peers import tls_port
from harness.workspace import Workspace

CHECK: Shape = SHAPES["hello"]
WARM_UP_CONNECTIONS = 64
WARM_UP_SECONDS = 2
SETTLE_SECONDS = 1.0
BURST_CONNECTIONS = 64
BURST_REQUESTS = 20_000
IDLE_CONNECTIONS = 1000


@dataclass(frozen=True)
class Level:
    """What a server takes while it holds some."""

    heap: Heap
    resident: Memory
    descriptors: int
    """Of the core and its worker."""


@dataclass(frozen=True)
class Each:
    """What one more costs."""

    kind: str
    heap_bytes: float
    core_bytes: float
    worker_bytes: float
    descriptors: float


@dataclass(frozen=True)
class Whole:
    """What a server takes that does its work with its defaults, or with a small heap."""

    peer: str
    start: Memory
    idle: Memory
    """With idle connections, before any load."""
    burst: Memory
    """After a load, without connections."""
    idle_again: Memory
    """After that load, with the idle connections once more."""


def measure_each(kind: Kind, peer: Peer, number: int, workspace: Workspace) -> Each:
    """From the difference between `number` and twice as many, so that what a server needs for the first one drops out."""
    with running(peer, workspace.folder("logs"), CHECK) as server:
        run_wrk(server.port, CHECK, WARM_UP_CONNECTIONS, WARM_UP_SECONDS)
        await_counts(server, {"connections.open": 0})
        port = tls_port(server.port) if kind.tls else server.port
        with holders(kind, port) as clients:
            levels = []
            for count in (number, 2 * number):
                clients.open_until(count + kind.elsewhere)
                levels.append(_level(server, kind, count, workspace))
    return slope(kind.key, levels[0], levels[1], number)


def _level(server: Server, kind: Kind, count: int, workspace: Workspace) -> Level:
    wanted = {"connections.open": count + kind.elsewhere, kind.counted: count}
    await_counts(server, wanted)
    time.sleep(SETTLE_SECONDS)
    level = Level(live_heap(server, workspace), memory(server), descriptors(server))
    await_counts(server, wanted)  # none has ended meanwhile
    return level


def slope(kind: str, less: Level, more: Level, number: int) -> Each:
    return Each(
        kind,
        grown_by(less.heap, more.heap, number) / number,
        (more.resident.first - less.resident.first) / number,
        (more.resident.others - less.resident.others) / number,
        (more.descriptors - less.descriptors) / number,
    )


def descriptors(server: Server) -> int:
    return sum(len(list(Path(f"/proc/{process}/fd").iterdir())) for process in process_tree.tree(server.process.pid))


def measure_whole(peer: Peer, client: Path, workspace: Workspace) -> Whole:
    with running(peer, workspace.folder("logs"), CHECK) as server:
        start = _settled(server, 0)
        idle = _with_idle(server)
        figures = run_fast_paced(client, server.port, BURST_REQUESTS, BURST_CONNECTIONS, 1)
        if figures.errors or figures.answers != BURST_REQUESTS:
            raise LoadFailed(
                f"{peer.key}: {figures.answers:,} answers to {BURST_REQUESTS:,}, {figures.errors:,} errors"
            )
        burst = _settled(server, 0)
        return Whole(peer.key, start, idle, burst, _with_idle(server))


def _with_idle(server: Server) -> Memory:
    kind = KINDS["idle"]
    with holders(kind, server.port) as clients:
        clients.open_until(IDLE_CONNECTIONS)
        found = _settled(server, IDLE_CONNECTIONS)
    await_counts(server, {"connections.open": 0})
    return found


def _settled(server: Server, connections: int) -> Memory:
    wanted = {"connections.open": connections, "connections.idle": connections}
    await_counts(server, wanted)
    time.sleep(SETTLE_SECONDS)
    found = memory(server)
    await_counts(server, wanted)
    return found
