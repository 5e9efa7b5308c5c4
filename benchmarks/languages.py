#!/usr/bin/env python3
"""Measures the workers in all languages, and the adapters beside their languages' own servers; writes LANGUAGES.md."""

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timezone

from harness import language_report, report, results, tuning_report
from harness.command import exit_code
from harness.language_peers import ADAPTERS, WORKERS
from harness.options import add_plan, names_of, tell
from harness.peers import prepare
from harness.rounds import Plan, measure
from harness.shapes import SHAPES
from harness.workspace import BENCHMARKS, ROOT, Workspace, output_of

PEERS = WORKERS | ADAPTERS


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_plan(parser, rounds=3, seconds=2, warm_up=2)
    parser.add_argument("--only", type=names_of(PEERS), metavar="SERVERS", help=f"of {', '.join(PEERS)}; not written")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    output_of(ROOT / "scripts" / "setup", "bench", "languages")
    workspace = Workspace()
    peers = prepare(PEERS, options.only, ("python", "node"), workspace)
    plan = Plan(peers, [SHAPES["hello"]], options.rounds, options.seconds, options.warm_up, options.connections)
    started = datetime.now(timezone.utc)
    clock = time.monotonic()
    measurements = measure(plan, workspace.folder("logs"), tell)
    minutes = (time.monotonic() - clock) / 60

    tables = language_report.tables(peers, measurements)
    print(*tables, sep="\n\n")
    if not options.only:
        facts = report.facts_of(plan, measurements, started, minutes)
        results.put(BENCHMARKS / "RESULTS.md", language_report.section(plan, measurements, facts))
        tuning_report.quote(ROOT / "docs" / "LANGUAGES.md", tables, language_report.MARK)


if __name__ == "__main__":
    sys.exit(exit_code(run, parse(sys.argv[1:])))
