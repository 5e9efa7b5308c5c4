"""What thousands of open streams cost, what a large body costs in either direction, and what small requests feel beside both."""

import json
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from load.listeners import OPENING_SECONDS, Figures
from load.paced_client import Figures as Paced

from harness import clients, process_tree
from harness.load import LoadFailed, run_wrk
from harness.peers import Peer
from harness.server import Server, running
from harness.shapes import SHAPES, Shape

Found = TypeVar("Found")
CHECK: Shape = SHAPES["hello"]
PIECE = b"x" * (1 << 20)
PATIENCE_SECONDS = 120.0
WARM_UP_SECONDS = 3
WARM_UP_CONNECTIONS = 64
SETTLE_SECONDS = 1.0
LATER_BODIES = 3
FEW = (1, 100)
FEW_PAUSE_SECONDS = 0.05


@dataclass(frozen=True)
class StreamPlan:
    peers: Sequence[Peer]
    streams: int
    pause_seconds: float
    """Between two events of one stream."""
    seconds: float
    large_bytes: int
    rate: int
    """Requests of the small client a second."""
    connections: int


@dataclass(frozen=True)
class Memory:
    """In bytes: of the first process, which is Handoff's core, and of all that it started."""

    first: int
    others: int


@dataclass(frozen=True)
class Few:
    """Streams that leave their server idle, so that a delay is the way of one event."""

    peer: str
    streams: int
    figures: Figures
    server_busy: float
    """Share of one core."""


@dataclass(frozen=True)
class Open:
    """While so many streams were open."""

    peer: str
    slow: bool
    figures: Figures
    opened: int
    grown: Memory
    server_busy: float
    """Share of one core."""
    alone: Paced
    beside: Paced


@dataclass(frozen=True)
class Moved:
    """What one large body took, of several the mean."""

    seconds: float
    cpu_seconds: float


@dataclass(frozen=True)
class Large:
    peer: str
    upward: bool
    first: Moved
    """While Java and Node compile what moves it."""
    later: Moved
    grown: Memory
    """Above idle, at the peak."""
    beside: Paced
    """Of another time, in which the small requests run."""


def measure_few(plan: StreamPlan, logs: Path, tell: Callable[[str], None]) -> list[Few]:
    found = []
    for peer in plan.peers:
        for streams in FEW:
            with running(peer, logs, CHECK) as server:
                found.append(_few(server, plan, streams))
                tell(line_of_few(found[-1]))
    return found


def measure_streams(plan: StreamPlan, logs: Path, tell: Callable[[str], None]) -> list[Open]:
    found = []
    for peer in plan.peers:
        for slow in (False, True):
            with running(peer, logs, CHECK) as server:
                found.append(_open(server, plan, slow))
                tell(line_of_open(found[-1]))
    return found


def measure_large(plan: StreamPlan, logs: Path, tell: Callable[[str], None]) -> list[Large]:
    found = []
    for peer in plan.peers:
        for upward in (False, True):
            with running(peer, logs, CHECK) as server:
                found.append(_large(server, plan, upward))
                tell(line_of_large(found[-1]))
    return found


def _few(server: Server, plan: StreamPlan, streams: int) -> Few:
    run_wrk(server.port, CHECK, WARM_UP_CONNECTIONS, WARM_UP_SECONDS)
    with _listeners(server.port, f"/events?{FEW_PAUSE_SECONDS:g}", streams, slow=False) as (process, _):
        figures, busy, _ = _listen(server, process, lambda: time.sleep(plan.seconds))
    return Few(server.peer.key, streams, figures, busy)


def _open(server: Server, plan: StreamPlan, slow: bool) -> Open:
    """Slow clients take a byte a second of a large response; others an event as soon as it comes."""
    run_wrk(server.port, CHECK, WARM_UP_CONNECTIONS, WARM_UP_SECONDS)
    alone = clients.run_paced(server.port, plan.rate, plan.connections, plan.seconds)
    idle = memory(server)
    target = f"/down?{plan.large_bytes}" if slow else f"/events?{plan.pause_seconds:g}"

    def beside() -> tuple[Paced, Memory]:
        small = clients.run_paced(server.port, plan.rate, plan.connections, plan.seconds)
        return small, _grown(idle, memory(server))

    with _listeners(server.port, target, plan.streams, slow) as (process, opened):
        figures, busy, (small, grown) = _listen(server, process, beside)
    return Open(server.peer.key, slow, figures, opened, grown, busy, alone, small)


def _listen(
    server: Server, process: "subprocess.Popen[str]", meanwhile: Callable[[], Found]
) -> tuple[Figures, float, Found]:
    """What the listeners measure while something is done, how busy the server is in that time, and what that found."""
    time.sleep(SETTLE_SECONDS)
    assert process.stdin and process.stdout
    cpu, clock = process_tree.cpu_seconds(server.process.pid), time.monotonic()
    process.stdin.write("\n")
    process.stdin.flush()
    found = meanwhile()
    busy = (process_tree.cpu_seconds(server.process.pid) - cpu) / (time.monotonic() - clock)
    process.stdin.close()
    return Figures(**json.loads(process.stdout.readline())), busy, found


@contextmanager
def _listeners(port: int, target: str, streams: int, slow: bool) -> Iterator[tuple["subprocess.Popen[str]", int]]:
    """The process of the streams' clients, and how many streams it has opened."""
    words = ["--slow"] if slow else []
    with clients.process("listeners", *words, port=port, target=target, streams=streams) as process:
        assert process.stdout
        opened = process.stdout.readline()
        if not opened:
            raise LoadFailed(f"the clients of the streams failed, or did not open them within {OPENING_SECONDS:g} s")
        yield process, int(opened)


def _large(server: Server, plan: StreamPlan, upward: bool) -> Large:
    run_wrk(server.port, CHECK, WARM_UP_CONNECTIONS, WARM_UP_SECONDS)
    idle = memory(server)
    forget_peaks(server)
    first = _moved(server, plan, upward, 1)
    later = _moved(server, plan, upward, LATER_BODIES)
    grown = _grown(idle, memory(server, "VmHWM"))
    beside = _beside(server, plan, upward)
    return Large(server.peer.key, upward, first, later, grown, beside)


def _moved(server: Server, plan: StreamPlan, upward: bool, bodies: int) -> Moved:
    cpu, clock = process_tree.cpu_seconds(server.process.pid), time.monotonic()
    for _ in range(bodies):
        _move(server.port, plan.large_bytes, upward)
    seconds = time.monotonic() - clock
    return Moved(seconds / bodies, (process_tree.cpu_seconds(server.process.pid) - cpu) / bodies)


def _beside(server: Server, plan: StreamPlan, upward: bool) -> Paced:
    """Small requests while large bodies follow each other."""
    over = threading.Event()
    failed: list[Exception] = []

    def move() -> None:
        try:
            while not over.is_set():
                _move(server.port, plan.large_bytes, upward)
        except (OSError, LoadFailed) as problem:
            failed.append(problem)

    thread = threading.Thread(target=move)
    thread.start()
    try:
        return clients.run_paced(server.port, plan.rate, plan.connections, plan.seconds)
    finally:
        over.set()
        thread.join()
        if failed:
            raise LoadFailed(f"{server.peer.key}: a large body failed: {failed[0]}")


def _move(port: int, size: int, upward: bool) -> None:
    """One body, with as little work for this process as can be."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as client:
        head = f"POST /up HTTP/1.1\r\nContent-Length: {size}" if upward else f"GET /down?{size} HTTP/1.1"
        client.sendall(f"{head}\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        for begin in range(0, size if upward else 0, len(PIECE)):
            client.sendall(PIECE if size - begin >= len(PIECE) else PIECE[: size - begin])
        buffer = bytearray(1 << 20)
        came, start = 0, b""
        while count := client.recv_into(buffer):
            start += buffer[: min(count, 4096 - len(start))]
            came += count
    answer, _, body = start.partition(b"\r\n\r\n")
    right = body == str(size).encode() if upward else came == len(answer) + 4 + size
    if not right or not answer.startswith(b"HTTP/1.1 200 "):
        raise LoadFailed(f"{came} bytes came: {start[:300]!r}")


def memory(server: Server, which: str = "VmRSS") -> Memory:
    first, *others = (_status(process, which) for process in process_tree.tree(server.process.pid))
    return Memory(first, sum(others))


def forget_peaks(server: Server) -> None:
    """From here on, VmHWM is the peak since now."""
    for process in process_tree.tree(server.process.pid):
        Path(f"/proc/{process}/clear_refs").write_text("5")


def _status(process: int, which: str) -> int:
    text = Path(f"/proc/{process}/status").read_text()
    return int(text.partition(f"{which}:")[2].split()[0]) * 1024


def _grown(before: Memory, after: Memory) -> Memory:
    return Memory(after.first - before.first, after.others - before.others)


def line_of_few(found: Few) -> str:
    """For the terminal."""
    figures = found.figures
    return (
        f"{found.peer:<14}  {found.streams:>3} streams, delay p50 {figures.p50 / 1000:.2f}, p99 {figures.p99 / 1000:.2f} ms,"
        f" first event p50 {figures.first_p50 / 1000:.1f}, p99 {figures.first_p99 / 1000:.1f} ms"
    )


def line_of_open(found: Open) -> str:
    figures = found.figures
    kind = "slow" if found.slow else "events"
    return (
        f"{found.peer:<14}  {kind:<6}  {found.opened:,} open, {figures.ended:,} ended, {figures.events / figures.seconds:,.0f} events/s,"
        f" delay p99 {figures.p99 / 1000:.1f} ms, small p99 {found.beside.p99 / 1000:.2f} ms ({found.alone.p99 / 1000:.2f} alone)"
    )


def line_of_large(found: Large) -> str:
    first, later = found.first, found.later
    return (
        f"{found.peer:<14}  {'up' if found.upward else 'down':<4}  {first.seconds:.1f} s, {first.cpu_seconds:.1f} s of CPU,"
        f" later {later.seconds:.1f} and {later.cpu_seconds:.1f} s,"
        f" {found.grown.first >> 20} and {found.grown.others >> 20} MiB above idle, small p99 {found.beside.p99 / 1000:.2f} ms"
    )
