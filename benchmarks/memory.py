#!/usr/bin/env python3
"""Measures what memory each connection, request and stream costs, and writes it to RESULTS.md."""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from harness import memory_report, quiet, report, results
from harness.command import exit_code
from harness.comparison import refuse
from harness.held_kinds import KINDS, Kind
from harness.long_requests import WARM_UPS, Long, measure_long
from harness.memory import Each, Whole, measure_each, measure_whole
from harness.memory_peers import CONTAINER_MIB, SMALL_HEAP, hello, holding, second, small_hello
from harness.options import names_of, positive, tell
from harness.peers import Peer
from harness.workspace import BENCHMARKS, ROOT, Workspace, output_of
from load import descriptors

PARTS = ("each", "whole", "long")
LANGUAGES = ("Python", "Node")
MOST_EACH = 4000
"""Twice as many fit below --max-connections, which is 10,000, with what the server needs besides."""


@dataclass(frozen=True)
class Plan:
    held: Sequence[tuple[Kind, Peer]]
    hellos: Sequence[Peer]
    seconds: Sequence[Peer]
    client: Path


@dataclass(frozen=True)
class Found:
    each: list[Each] = field(default_factory=list)
    whole: list[Whole] = field(default_factory=list)
    long: list[Long] = field(default_factory=list)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=positive, default=5, help="of everything, each with new starts (default: 5)")
    each = "between so many and twice as many lies what one costs (default: 1000)"
    parser.add_argument("--each", type=positive, default=1000, help=each)
    long = "each with a request that takes 1 s (default: 9000)"
    parser.add_argument("--connections", type=positive, default=9000, help=long)
    parser.add_argument("--parts", type=names_of(PARTS), default=list(PARTS), help=f"of {', '.join(PARTS)}")
    output = "the file for the results (default: benchmarks/RESULTS.md, or none with --parts)"
    parser.add_argument("--output", type=Path, help=output)
    anyway = "the results even if the machine was not quiet; they say so"
    parser.add_argument("--write-anyway", action="store_true", help=anyway)
    options = parser.parse_args(arguments)
    if options.each > MOST_EACH:
        parser.error(f"--each: at most {MOST_EACH}")
    return options


def run(options: argparse.Namespace) -> None:
    output_of(ROOT / "scripts" / "setup", "bench")  # installs wrk where it can
    descriptors.allow(max(options.connections, 2 * options.each))
    partial = options.parts != list(PARTS)
    output = options.output or (None if partial else BENCHMARKS / "RESULTS.md")
    workspace = Workspace()
    plan = Plan(
        held=[(kind, holding(kind, 2 * options.each, workspace)) for kind in KINDS.values() if "each" in options.parts],
        hellos=built(lambda language: [hello(language, workspace), small_hello(language, workspace)], "whole", options),
        seconds=built(lambda language: [second(language, options.connections, workspace)], "long", options),
        client=workspace.compile_c(BENCHMARKS / "load" / "paced_client.c"),
    )
    before = quiet.look()
    refuse(before, output, options.write_anyway)
    started = datetime.now(timezone.utc)
    clock = time.monotonic()
    found = Found()
    for number in range(1, options.rounds + 1):
        tell(f"round {number}")
        measure(plan, options, workspace, found)
    minutes = (time.monotonic() - clock) / 60
    text = tables(plan, options, found)
    print(text)
    complaint = quiet.complaint([one.others_busy for one in found.long])
    refuse(complaint, output, options.write_anyway)
    if output:
        introduction = "`benchmarks/memory.py` wrote this; [README.md](README.md#memory) says how to read it."
        whole = report.marked(text, before, complaint)
        results.put(
            output, report.section("Memory", introduction, whole, facts_of(plan, options, started, minutes, found))
        )
        tell(f"written: {output}")


def built(build: Callable[[str], list[Peer]], part: str, options: argparse.Namespace) -> list[Peer]:
    return [peer for language in LANGUAGES for peer in build(language)] if part in options.parts else []


def measure(plan: Plan, options: argparse.Namespace, workspace: Workspace, found: Found) -> None:
    """A round of everything."""
    for kind, peer in plan.held:
        found.each.append(measure_each(kind, peer, options.each, workspace))
        tell(line_of(found.each[-1]))
    for peer in plan.hellos:
        tell(f"memory of {peer.title}")
        found.whole.append(measure_whole(peer, plan.client, workspace))
    for peer in plan.seconds:
        tell(f"requests of 1 s, {peer.title}")
        found.long.extend(measure_long(peer, options.connections, plan.client, workspace.folder("logs")))


def tables(plan: Plan, options: argparse.Namespace, found: Found) -> str:
    parts = []
    if found.each:
        parts.append(memory_report.each(found.each))
    if found.whole:
        parts.append(memory_report.whole(plan.hellos, found.whole))
    if found.long:
        parts.append(memory_report.long(plan.seconds, found.long, options.connections))
    return "\n\n".join(parts)


def line_of(found: Each) -> str:
    """For the terminal."""
    resident = f"resident {found.core_bytes:,.0f} and {found.worker_bytes:,.0f}"
    return f"{found.kind:<9}  heap {found.heap_bytes:,.0f}, {resident} bytes, {found.descriptors:.2f} descriptors"


def facts_of(
    plan: Plan, options: argparse.Namespace, started: datetime, minutes: float, found: Found
) -> list[tuple[str, str]]:
    versions = dict.fromkeys(peer.versions for peer in (*plan.hellos, *plan.seconds, *(peer for _, peer in plan.held)))
    facts = [*report.circumstances(started, minutes)]
    if shares := [one.others_busy for one in found.long]:
        busy = f"{statistics.median(shares):.0%} of all cores, at most {max(shares):.0%}"
        facts.append(("other programs during the requests of 1 s", busy))
    return [
        *facts,
        ("servers", "; ".join(versions)),
        ("Handoff", "with its AOT cache, as packages have it, and one worker"),
        ("one more", f"the difference between {options.each:,} and {2 * options.each:,}, over {options.each:,}"),
        ("small heap", f"the default flags and `{SMALL_HEAP}`, as Java chooses in a container of {CONTAINER_MIB} MiB"),
        ("requests of 1 s", f"after {WARM_UPS} times as many that are not counted; latency from when each was due"),
        ("rounds", f"{options.rounds}, each with new starts"),
        ("figures", "median (least to most)"),
    ]


if __name__ == "__main__":
    sys.exit(exit_code(run, parse(sys.argv[1:])))
