#!/usr/bin/env python3
"""Measures Handoff side by side with other servers, and writes RESULTS.md. See README.md."""

import argparse
import signal
import statistics
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from harness import machine, report, results
from harness.load import LoadFailed
from harness.options import names_of, positive, tell
from harness.peers import OURS, PEERS, Peer
from harness.rounds import Measurements, Plan, measure
from harness.server import ServerFailed
from harness.shapes import DEFAULT_SHAPES, SHAPES
from harness.workspace import BENCHMARKS, ROOT, Unavailable, Workspace, output_of


def main(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    # So that the servers are stopped however we are told to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        run(options)
    except (LoadFailed, ServerFailed, Unavailable) as problem:
        tell(f"failed: {problem}")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=positive, default=5, help="times that every server is measured (default: 5)")
    parser.add_argument("--seconds", type=positive, default=5, help="of load for each figure (default: 5)")
    parser.add_argument(
        "--warm-up", type=positive, default=4, metavar="SECONDS", help="of each shape after a start (default: 4)"
    )
    parser.add_argument("--connections", type=positive, default=64, help="of the one client (default: 64)")
    parser.add_argument("--shapes", type=names_of(SHAPES), default=list(DEFAULT_SHAPES), help=f"of {', '.join(SHAPES)}")
    parser.add_argument("--only", type=names_of(PEERS), metavar="SERVERS", help=f"of {', '.join(PEERS)}")
    parser.add_argument(
        "--output",
        type=Path,
        help="the file for the results (default: benchmarks/RESULTS.md, or none if servers or shapes are left out)",
    )
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    output_of(ROOT / "scripts" / "setup", "bench")  # installs wrk where it can
    workspace = Workspace()
    peers = prepare(options.only or list(PEERS), workspace, strict=options.only is not None)
    shapes = [SHAPES[key] for key in options.shapes]
    plan = Plan(peers, shapes, options.rounds, options.seconds, options.warm_up, options.connections)

    started = datetime.now(timezone.utc)
    clock = time.monotonic()
    measurements = measure(plan, workspace.folder("logs"), tell)
    minutes = (time.monotonic() - clock) / 60

    print(report.tables(plan, measurements))
    whole = options.only is None and set(DEFAULT_SHAPES) <= set(options.shapes)
    output = options.output or (BENCHMARKS / "RESULTS.md" if whole else None)
    if output:
        facts = facts_of(plan, measurements, started, minutes)
        results.put(output, report.document(plan, measurements, facts))
        tell(f"written: {output}")


def prepare(keys: Sequence[str], workspace: Workspace, strict: bool) -> list[Peer]:
    """Builds the servers; leaves out peers that this machine lacks, unless they were asked for by name."""
    peers = []
    for key in keys:
        try:
            peers.append(PEERS[key](workspace))
        except Unavailable as problem:
            if strict or key in OURS:
                raise
            tell(f"left out: {key}: {problem}")
    if not peers:
        raise Unavailable("no server to measure")
    return peers


def facts_of(plan: Plan, measurements: Measurements, started: datetime, minutes: float) -> list[tuple[str, str]]:
    others = [sample.others_busy for sample in measurements.samples]
    return [
        ("date", f"{started:%Y-%m-%d %H:%M} UTC, {minutes:.0f} minutes"),
        ("commit", machine.commit()),
        *(("machine", line) for line in machine.description()),
        ("other programs during the load", f"{statistics.median(others):.0%} of all cores, at most {max(others):.0%}"),
        ("client", f"{machine.wrk_version()}, 1 thread, {plan.connections} connections, loopback"),
        (
            "rounds",
            f"{plan.rounds}; in each a new start, {plan.warm_up_seconds} s of each load to warm up, {plan.seconds} s for each figure",
        ),
        ("figures", "median of the rounds (least to most)"),
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
