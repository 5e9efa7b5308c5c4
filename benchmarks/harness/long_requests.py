"""Thousands of requests at once that take a second each."""

import time
from dataclasses import dataclass
from pathlib import Path

from load.paced_client import Figures

from harness import machine, process_tree
from harness.clients import run_fast_paced
from harness.counted import await_counts, begin_anew, count
from harness.load import LoadFailed
from harness.peers import Peer
from harness.server import running
from harness.shapes import SHAPES

CHECK = SHAPES["hello"]
SPREADS = {"at once": 0.01, "within a second": 1.0}
"""Seconds from the first request to the last."""
WARM_UPS = 2
"""For each spread, since compilers learn from them."""


@dataclass(frozen=True)
class Long:
    peer: str
    spread: str
    figures: Figures
    others_busy: float


def measure_long(peer: Peer, connections: int, client: Path, logs: Path) -> list[Long]:
    """Each connection sends one request; all are open before the first of them does."""
    found = []
    with running(peer, logs, CHECK) as server:
        for spread, seconds in SPREADS.items():
            for number in range(1 + WARM_UPS):
                await_counts(server, {"connections.open": 0})
                begin_anew(server)
                all_before, before = machine.cpu_seconds(), process_tree.cpu_seconds(server.process.pid)
                clock = time.monotonic()
                figures = run_fast_paced(client, server.port, connections / seconds, connections, seconds)
                took = time.monotonic() - clock
                cpu = process_tree.cpu_seconds(server.process.pid) - before + figures.cpu_seconds
                others = max(0.0, machine.cpu_seconds() - all_before - cpu) / took / machine.cores()
                require(peer.key, connections, count(server, "connections.peak"), figures)
                if number == WARM_UPS:
                    found.append(Long(peer.key, spread, figures, others))
    return found


def require(peer: str, wanted: int, open_at_once: int, figures: Figures) -> None:
    """Fails where not every connection was open, or where what became of a request is not known."""
    if open_at_once != wanted:
        raise LoadFailed(f"{peer}: {open_at_once:,} connections were open at once, not {wanted:,}")
    if figures.answers + figures.errors < wanted:
        raise LoadFailed(f"{peer}: {figures.answers:,} answers and {figures.errors:,} failures of {wanted:,} requests")
