#!/usr/bin/env python3
"""Measures how long Handoff's distribution takes to start, beside the JDK's own HTTP server, and writes it to RESULTS.md."""

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from harness import report, results, start_up_report
from harness.command import exit_code
from harness.options import positive, tell
from harness.start_up import Start, measure
from harness.starters import starters
from harness.workspace import BENCHMARKS, Workspace


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=positive, default=21, help="starts of each (default: 21)")
    parser.add_argument("--output", type=Path, default=BENCHMARKS / "RESULTS.md", help="the file for the results")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    plan = starters(Workspace())
    started = datetime.now(timezone.utc)
    clock = time.monotonic()
    starts = measure(plan, options.rounds, tell)
    minutes = (time.monotonic() - clock) / 60
    print(start_up_report.tables(plan, starts))
    results.put(options.output, start_up_report.section(plan, starts, facts_of(starts, options, started, minutes)))
    tell(f"written: {options.output}")


def facts_of(
    starts: Sequence[Start], options: argparse.Namespace, started: datetime, minutes: float
) -> list[tuple[str, str]]:
    others = sorted(start.others_busy for start in starts)
    return [
        *report.circumstances(started, minutes),
        ("other programs meanwhile", f"{others[len(others) // 2]:.0%} of all cores, at most {others[-1]:.0%}"),
        ("starts", f"{options.rounds} of each, interleaved, after one that is not counted"),
        ("figures", "median (least to most); ratios within each round"),
    ]


if __name__ == "__main__":
    sys.exit(exit_code(run, parse(sys.argv[1:])))
