#!/usr/bin/env python3
"""Measures what Handoff serves when it is asked for more than it can do. See README.md."""

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from harness import machine, overload
from harness.command import exit_code
from harness.options import tell
from harness.workspace import Workspace


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="times that everything is measured (default: 3)")
    parser.add_argument("--seconds", type=int, default=5, help="of load for each figure (default: 5)")
    parser.add_argument("--warm-up", type=int, default=2, metavar="SECONDS", help="of each load (default: 2)")
    parser.add_argument("--output", type=Path, help="the file for the results (default: none is written)")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    plan = overload.Plan(options.rounds, options.seconds, options.warm_up)
    started = datetime.now(timezone.utc)
    clock = time.monotonic()
    samples = overload.measure(plan, Workspace(), tell)
    minutes = (time.monotonic() - clock) / 60
    print(overload.table(samples), overload.verdicts(samples), sep="\n\n")
    if options.output:
        facts = f"{started:%Y-%m-%d %H:%M} UTC, {minutes:.0f} minutes; commit {machine.commit()}; {machine.description()[0]}"
        options.output.write_text(document(samples, plan, facts))
        tell(f"written: {options.output}")


def document(samples: Sequence[overload.Sample], plan: overload.Plan, facts: str) -> str:
    return f"""# Overload

Written by `benchmarks/overload.py`.
{facts}.

One worker takes {overload.WINDOW} requests at once, each for {overload.SERVICE_SECONDS * 1000:.0f} ms, and cannot stop a
cancelled one. Requests come at a fixed rate from outside, whatever becomes of those before. A
client leaves after {overload.PATIENCE_SECONDS:.0f} s. The queue timeout is {overload.QUEUE_TIMEOUT_SECONDS:.0f} s. The queues are shorter than the default,
which has room for at least 1,000 requests. "Served" is what a client got with status 200 before
it left; times count from when the request was due. The peak is what the same server answered to
{3 * overload.WINDOW} clients that wait for each response. Figures are medians of {plan.rounds} rounds of {plan.seconds} s each.

{overload.table(samples)}

{overload.verdicts(samples)}
"""


if __name__ == "__main__":
    sys.exit(exit_code(run, parse(sys.argv[1:])))
