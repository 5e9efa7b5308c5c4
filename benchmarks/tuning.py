#!/usr/bin/env python3
"""Measures what the settings of a deployment do, and writes it to TUNING.md and DEPLOYING.md."""

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from harness import capacity, machine, report, tuning_report
from harness.command import exit_code
from harness.options import add_plan, tell
from harness.rounds import Plan, measure
from harness.tuning_topics import behind_nginx, handoff, topics
from harness.workspace import BENCHMARKS, ROOT, Workspace, output_of
from load import descriptors


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_plan(parser, rounds=3, seconds=2, warm_up=1)
    parser.add_argument("--only", metavar="WORD", help="topics whose title has this word; written nowhere")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    output_of(ROOT / "scripts" / "setup", "bench")  # installs wrk where it can
    descriptors.allow(capacity.HELD)
    workspace = Workspace()
    chosen = [topic for topic in topics(workspace) if (options.only or "") in topic.title]
    started = datetime.now(timezone.utc)
    clock = time.monotonic()
    logs = workspace.folder("logs")
    measured = []
    for topic in chosen:
        tell(topic.title)
        plan = Plan(topic.peers, topic.shapes, options.rounds, options.seconds, options.warm_up, options.connections)
        measured.append((topic, measure(plan, logs, tell)))
    tables = [tuning_report.settings(measured)]
    if not options.only:
        tell("thousands of connections")
        tables.append(connections(workspace, logs, options.seconds))
    minutes = (time.monotonic() - clock) / 60

    print(*tables, sep="\n\n")
    if not options.only:
        others = [sample.others_busy for _, found in measured for sample in found.samples]
        facts = [
            *report.circumstances(started, minutes),
            ("other programs during the load", f"at most {max(others):.0%} of all cores"),
            ("client", f"{machine.wrk_version()}, 1 thread, {options.connections} connections"),
            ("rounds", f"{options.rounds}, {options.seconds} s for each figure; medians, ratios within a round"),
        ]
        (BENCHMARKS / "TUNING.md").write_text(tuning_report.document(facts, tables))
        tuning_report.quote(ROOT / "docs" / "DEPLOYING.md", tables)


def connections(workspace: Workspace, logs: Path, seconds: int) -> str:
    direct = handoff(workspace, "direct", "examples-python/sdk_hello.py")
    servers = [
        behind_nginx(workspace, "nginx, connections to Handoff kept", ""),
        behind_nginx(workspace, "nginx, a new one for each request", "close"),
    ]
    return tuning_report.capacity(
        capacity.hold(direct, logs),
        capacity.burst(direct, logs),
        [capacity.ports(server, logs, seconds) for server in servers],
    )


if __name__ == "__main__":
    sys.exit(exit_code(run, parse(sys.argv[1:])))
