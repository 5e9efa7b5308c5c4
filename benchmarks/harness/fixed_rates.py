"""What a request waits at a fixed rate, whatever the server does meanwhile: at shares of the peak that the same start had."""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from load.paced_client import Figures

from harness import machine, process_tree
from harness.clients import run_fast_paced
from harness.options import tell
from harness.rounds import Measurements
from harness.server import Server
from harness.workspace import BENCHMARKS, Unavailable, Workspace

SHARES = (0.25, 0.5, 0.75)
SHAPE = "hello"
"""The bare request, which is all that the client knows."""


@dataclass(frozen=True)
class AtRate:
    """One server at one share of its peak after one start."""

    peer: str
    start: int
    share: float
    rate: float
    figures: Figures
    others_busy: float


def client(workspace: Workspace) -> Path | None:
    """The program that asks, if this machine can compile it."""
    try:
        return workspace.compile_c(BENCHMARKS / "load" / "paced_client.c")
    except Unavailable as problem:
        tell(f"left out: fixed rates: {problem}")
        return None


def peak(measurements: Measurements, peer: str, start: int) -> float:
    """What the one client got answered a second, in the median over the turns of a start."""
    turns = [sample for sample in measurements.of(peer, SHAPE) if sample.start == start]
    return statistics.median(sample.requests_per_second for sample in turns)


def measure_at_rate(
    program: Path, server: Server, start: int, share: float, of_peak: float, connections: int, seconds: float
) -> AtRate:
    own_before = time.process_time()
    all_before = machine.cpu_seconds()
    server_before = process_tree.cpu_seconds(server.process.pid)
    clock = time.monotonic()
    figures = run_fast_paced(program, server.port, share * of_peak, connections, seconds)
    took = time.monotonic() - clock
    server_cpu = process_tree.cpu_seconds(server.process.pid) - server_before
    ours = server_cpu + figures.cpu_seconds + time.process_time() - own_before
    others = max(0.0, machine.cpu_seconds() - all_before - ours)
    return AtRate(server.peer.key, start, share, share * of_peak, figures, others / took / machine.cores())


def line(found: AtRate) -> str:
    """For the terminal."""
    figures = found.figures
    return (
        f"start {found.start}  {found.peer:<14}  {found.share:.0%} of its peak, {found.rate:>7,.0f} req/s"
        f"  p50 {figures.p50 / 1000:.2f}  p99 {figures.p99 / 1000:.2f}  p99.9 {figures.p999 / 1000:.2f} ms"
    )


def of(found: Sequence[AtRate], peer: str, share: float) -> list[AtRate]:
    """In the order of the starts."""
    return [each for each in found if (each.peer, each.share) == (peer, share)]
