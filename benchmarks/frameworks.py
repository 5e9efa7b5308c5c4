#!/usr/bin/env python3
"""Measures unchanged applications of Python and Node on Handoff and on their own servers, and writes it to RESULTS.md."""

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from harness import report, results
from harness.frameworks import FRAMEWORK_PEERS
from harness.load import LoadFailed
from harness.node_frameworks import NODE_FRAMEWORK_PEERS
from harness.options import add_plan, names_of, tell
from harness.peers import prepare
from harness.rounds import Plan, measure
from harness.server import ServerFailed
from harness.shapes import DEFAULT_SHAPES, SHAPES
from harness.workspace import BENCHMARKS, ROOT, Unavailable, Workspace, output_of

ALL_PEERS = FRAMEWORK_PEERS | NODE_FRAMEWORK_PEERS


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
    add_plan(parser, rounds=3, seconds=4, warm_up=3)
    parser.add_argument("--shapes", type=names_of(SHAPES), default=list(DEFAULT_SHAPES), help=f"of {', '.join(SHAPES)}")
    parser.add_argument("--only", type=names_of(ALL_PEERS), metavar="SERVERS", help=f"of {', '.join(ALL_PEERS)}")
    parser.add_argument(
        "--output", type=Path, help="the file for the results (default: benchmarks/RESULTS.md, or none with --only)"
    )
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    output_of(ROOT / "scripts" / "setup", "bench")  # installs wrk where it can
    workspace = Workspace()
    ours = [key for key in ALL_PEERS if key.endswith("-handoff")]
    peers = prepare(ALL_PEERS, options.only, ours, workspace)
    shapes = [SHAPES[key] for key in options.shapes]
    plan = Plan(peers, shapes, options.rounds, options.seconds, options.warm_up, options.connections)

    started = datetime.now(timezone.utc)
    clock = time.monotonic()
    measurements = measure(plan, workspace.folder("logs"), tell)
    minutes = (time.monotonic() - clock) / 60

    print(report.tables(plan, measurements))
    output = options.output or (None if options.only else BENCHMARKS / "RESULTS.md")
    if output:
        facts = report.facts_of(plan, measurements, started, minutes)
        results.put(output, report.frameworks(plan, measurements, facts))
        tell(f"written: {output}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
