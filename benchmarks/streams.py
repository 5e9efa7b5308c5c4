#!/usr/bin/env python3
"""Measures thousands of open streams and large bodies on Handoff and other servers, and writes it to RESULTS.md."""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from pathlib import Path

from harness import report, results, stream_report
from harness.command import exit_code
from harness.options import names_of, positive, tell
from harness.peers import Peer, prepare
from harness.stream_peers import STREAM_PEERS
from harness.streams import StreamPlan, measure_few, measure_large, measure_streams
from harness.workspace import BENCHMARKS, ROOT, Workspace, output_of
from load import descriptors

OURS = ["handoff-python", "handoff-node"]
PARTS = ("few", "streams", "large")
SPARE_CONNECTIONS = 1000
"""That the servers may have beside the streams."""


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=positive, default=5000, help="open at once (default: 5000)")
    parser.add_argument("--pause", type=float, default=1, help="seconds between two events of one (default: 1)")
    parser.add_argument("--seconds", type=positive, default=10, help="of each measurement (default: 10)")
    parser.add_argument("--large", type=positive, default=1024, metavar="MIB", help="of a large body (default: 1024)")
    parser.add_argument("--rate", type=positive, default=200, help="small requests a second (default: 200)")
    parser.add_argument("--connections", type=positive, default=8, help="of the small requests (default: 8)")
    parser.add_argument("--parts", type=names_of(PARTS), default=list(PARTS), help=f"of {', '.join(PARTS)}")
    parser.add_argument("--only", type=names_of(STREAM_PEERS), metavar="SERVERS", help=f"of {', '.join(STREAM_PEERS)}")
    parser.add_argument(
        "--output", type=Path, help="the file for the results (default: benchmarks/RESULTS.md, or none with --only)"
    )
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    output_of(ROOT / "scripts" / "setup", "bench")  # installs wrk where it can
    connections = options.streams + SPARE_CONNECTIONS
    descriptors.allow(connections)
    workspace = Workspace()
    peers = {key: allowing(connections, build) for key, build in STREAM_PEERS.items()}
    plan = StreamPlan(
        peers=prepare(peers, options.only, OURS, workspace),
        streams=options.streams,
        pause_seconds=options.pause,
        seconds=options.seconds,
        large_bytes=options.large << 20,
        rate=options.rate,
        connections=options.connections,
    )
    started = datetime.now(timezone.utc)
    clock = time.monotonic()
    logs = workspace.folder("logs")
    few = measure_few(plan, logs, tell) if "few" in options.parts else []
    opened = measure_streams(plan, logs, tell) if "streams" in options.parts else []
    large = measure_large(plan, logs, tell) if "large" in options.parts else []
    text = stream_report.tables(plan, few, opened, large)
    print(text)
    partial = options.only or options.parts != list(PARTS)
    output = options.output or (None if partial else BENCHMARKS / "RESULTS.md")
    if output:
        facts = facts_of(plan, started, (time.monotonic() - clock) / 60)
        results.put(output, stream_report.section(plan, text, facts))
        tell(f"written: {output}")


def allowing(connections: int, build: Callable[[Workspace, int], Peer]) -> Callable[[Workspace], Peer]:
    """A server that may have so many connections."""
    return lambda workspace: build(workspace, connections)


def facts_of(plan: StreamPlan, started: datetime, minutes: float) -> list[tuple[str, str]]:
    return [
        *report.circumstances(started, minutes),
        ("streams", f"{plan.streams:,}, an event each {plan.pause_seconds:g} s"),
        ("small requests", f"{plan.rate} a second over {plan.connections} connections, for {plan.seconds:g} s"),
    ]


if __name__ == "__main__":
    sys.exit(exit_code(run, parse(sys.argv[1:])))
