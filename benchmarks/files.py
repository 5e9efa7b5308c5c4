#!/usr/bin/env python3
"""Measures how fast files of three sizes are sent, on Handoff and on others, and writes it to RESULTS.md."""

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from harness import machine, process_tree, report, results
from harness.command import exit_code
from harness.file_peers import BUILDERS, SIZES, make_files
from harness.load import run_wrk
from harness.options import positive, tell
from harness.peers import Peer
from harness.rounds import Spread
from harness.sample import Sample
from harness.server import running
from harness.shapes import Shape
from harness.workspace import BENCHMARKS, ROOT, Workspace, output_of

ASKED = Shape("plain", "plain")
CONNECTIONS = {"1k": 32, "100k": 32, "100m": 4}


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=positive, default=3, help="of all servers and files (default: 3)")
    parser.add_argument("--seconds", type=positive, default=5, help="of each measurement (default: 5)")
    parser.add_argument("--warm-up", type=positive, default=8, help="seconds before, for each file (default: 8)")
    parser.add_argument("--output", type=Path, default=BENCHMARKS / "RESULTS.md", help="the file for the results")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    output_of(ROOT / "scripts" / "setup", "bench")  # installs wrk where it can
    workspace = Workspace()
    folder = make_files(workspace)
    peers = [build(folder, workspace) for build in BUILDERS]
    started = datetime.now(timezone.utc)
    clock = time.monotonic()
    samples = [
        sample
        for number in range(1, options.rounds + 1)
        for peer in peers
        for sample in measure(peer, number, options, workspace.folder("logs"))
    ]
    minutes = (time.monotonic() - clock) / 60
    text = tables(peers, samples)
    print(text)
    facts = facts_of(peers, options, started, minutes)
    introduction = "The files are in the page cache. `benchmarks/files.py` wrote this."
    results.put(options.output, report.section("Files", introduction, text, facts))
    tell(f"written: {options.output}")


def measure(peer: Peer, number: int, options: argparse.Namespace, logs: Path) -> list[Sample]:
    samples = []
    with running(peer, logs, ASKED) as server:
        for file in SIZES:
            connections = CONNECTIONS[file]
            run_wrk(server.port, ASKED, connections, options.warm_up, f"/{file}")
            before = process_tree.cpu_seconds(server.process.pid)
            load = run_wrk(server.port, ASKED, connections, options.seconds, f"/{file}")
            cpu = process_tree.cpu_seconds(server.process.pid) - before
            memory = process_tree.memory_bytes(server.process.pid)
            samples.append(Sample(peer.key, file, number, load, cpu, memory))
            tell(f"round {number}: {peer.key} {file}: {samples[-1].rate:,.0f} a second")
    return samples


def tables(peers: Sequence[Peer], samples: Sequence[Sample]) -> str:
    head = ["file", "server", "req/s", "MB/s", "of nginx's requests", "CPU \u00b5s per request", "p99 ms", "MiB"]
    rows = []
    for file, size in SIZES.items():
        against = {each.round: each.rate for each in samples if each.asked == file and each.peer == peers[1].key}
        for peer in peers:
            of = [each for each in samples if each.asked == file and each.peer == peer.key]
            rate = Spread.over([each.rate for each in of])
            cells = [
                file,
                peer.title,
                report.spread(rate, ",.0f"),
                f"{rate.median * size / 1e6:,.0f}",
                report.spread_over([each.rate / against[each.round] for each in of], ".2f"),
                report.spread_over([each.cpu_micros for each in of], ",.1f"),
                report.spread_over([each.load.p99_micros / 1000 for each in of], ".2f"),
                f"{max(each.memory_bytes for each in of) / (1 << 20):.0f}",
            ]
            rows.append(cells)
    return report.table(head, rows)


def facts_of(
    peers: Sequence[Peer], options: argparse.Namespace, started: datetime, minutes: float
) -> list[tuple[str, str]]:
    return [
        *report.circumstances(started, minutes),
        *(("server", f"{peer.title}: {peer.versions}") for peer in peers),
        ("client", f"{machine.wrk_version()}, one thread; connections: {CONNECTIONS}"),
        ("rounds", f"{options.rounds}, {options.seconds} s each after {options.warm_up} s that are not counted"),
        ("figures", "median (least to most); ratios within each round; memory at most, after the last request"),
    ]


if __name__ == "__main__":
    sys.exit(exit_code(run, parse(sys.argv[1:])))
