#!/usr/bin/env python3
"""Measures what a normal client feels while thousands of slow ones hold connections, and writes it to RESULTS.md."""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from pathlib import Path

from harness import report, results, slow_report
from harness.command import exit_code
from harness.options import names_of, positive, tell
from harness.peers import Peer, prepare
from harness.slow_clients import Phase, SlowPlan, measure_slow_clients
from harness.slow_peers import SLOW_PEERS
from harness.workspace import BENCHMARKS, ROOT, Workspace, output_of
from load import descriptors

SPARE_CONNECTIONS = 1000
"""That the servers may have beside those of the slow clients."""
MOST_SLOW_CLIENTS = 15_000
"""So many, coming again and again, find a free port on one address."""


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slow-clients", type=positive, default=10_000, help="connections (default: 10000)")
    parser.add_argument("--pause", type=positive, default=1, help="seconds between two bytes of one (default: 1)")
    parser.add_argument(
        "--rate", type=positive, default=500, help="requests of the normal client a second (default: 500)"
    )
    parser.add_argument("--connections", type=positive, default=8, help="of the normal client (default: 8)")
    parser.add_argument("--seconds", type=positive, default=20, help="with the slow clients (default: 20)")
    parser.add_argument("--baseline", type=positive, default=6, help="seconds without, before and after (default: 6)")
    parser.add_argument("--only", type=names_of(SLOW_PEERS), metavar="SERVERS", help=f"of {', '.join(SLOW_PEERS)}")
    parser.add_argument(
        "--output", type=Path, help="the file for the results (default: benchmarks/RESULTS.md, or none with --only)"
    )
    options = parser.parse_args(arguments)
    if options.slow_clients > MOST_SLOW_CLIENTS:
        parser.error(f"--slow-clients: at most {MOST_SLOW_CLIENTS}")
    return options


def run(options: argparse.Namespace) -> None:
    output_of(ROOT / "scripts" / "setup", "bench")  # installs wrk where it can
    connections = options.slow_clients + SPARE_CONNECTIONS
    descriptors.allow(connections)
    workspace = Workspace()
    peers = {key: allowing(connections, build) for key, build in SLOW_PEERS.items()}
    plan = SlowPlan(
        peers=prepare(peers, options.only, [slow_report.GOAL_PEER], workspace),
        with_control=[slow_report.GOAL_PEER],
        slow_clients=options.slow_clients,
        opens_per_second=2000,
        pause_seconds=options.pause,
        rate=options.rate,
        connections=options.connections,
        warm_up_seconds=3,
        baseline_seconds=options.baseline,
        slow_seconds=options.seconds,
        settle_seconds=2,
    )
    started = datetime.now(timezone.utc)
    clock = time.monotonic()
    phases = measure_slow_clients(plan, workspace.folder("logs"), tell)
    minutes = (time.monotonic() - clock) / 60
    print(slow_report.tables(plan, phases))
    output = options.output or (None if options.only else BENCHMARKS / "RESULTS.md")
    if output:
        results.put(output, slow_report.section(plan, phases, facts_of(plan, phases, started, minutes)))
        tell(f"written: {output}")


def allowing(connections: int, build: Callable[[Workspace, int], Peer]) -> Callable[[Workspace], Peer]:
    """A server that may have so many connections."""
    return lambda workspace: build(workspace, connections)


def facts_of(plan: SlowPlan, phases: Sequence[Phase], started: datetime, minutes: float) -> list[tuple[str, str]]:
    others = [phase.others_busy for phase in phases]
    return [
        *report.circumstances(started, minutes),
        ("other programs during the load", f"at most {max(others):.0%} of all cores"),
        (
            "slow clients",
            f"{plan.slow_clients:,} connections, a byte each {plan.pause_seconds:g} s, loopback; {slow_report.kinds()}",
        ),
        (
            "normal client",
            f"{plan.rate} requests a second over {plan.connections} connections, latency from when each was due",
        ),
        ("measured", f"{plan.slow_seconds:g} s with the slow clients, {plan.baseline_seconds:g} s before and after"),
    ]


if __name__ == "__main__":
    sys.exit(exit_code(run, parse(sys.argv[1:])))
