#!/usr/bin/env python3
"""Measures HTTP servers behind Handoff, nginx and HAProxy, and asked directly, and writes it to RESULTS.md."""

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from harness import machine, process_tree, report, results
from harness.command import exit_code
from harness.load import run_wrk
from harness.options import positive, tell
from harness.peers import Peer
from harness.proxy_peers import UPSTREAMS, WAYS, Upstream
from harness.sample import Sample
from harness.server import running
from harness.shapes import Shape
from harness.workspace import BENCHMARKS, ROOT, Workspace, output_of

ASKED = Shape("plain", "plain")
CONNECTIONS = 64


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=positive, default=3, help="of all servers (default: 3)")
    parser.add_argument("--seconds", type=positive, default=6, help="of each measurement (default: 6)")
    parser.add_argument("--warm-up", type=positive, default=10, help="seconds before (default: 10)")
    parser.add_argument("--output", type=Path, default=BENCHMARKS / "RESULTS.md", help="the file for the results")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    output_of(ROOT / "scripts" / "setup", "bench")  # installs wrk where it can
    workspace = Workspace()
    upstreams = [build(workspace) for build in UPSTREAMS]
    peers = {upstream.key: [way(upstream, workspace) for way in WAYS] for upstream in upstreams}
    started = datetime.now(timezone.utc)
    clock = time.monotonic()
    samples = [
        measure(peer, number, options, workspace.folder("logs"))
        for number in range(1, options.rounds + 1)
        for ways in peers.values()
        for peer in ways
    ]
    minutes = (time.monotonic() - clock) / 60
    text = table(upstreams, peers, samples)
    print(text)
    facts = facts_of(peers, options, started, minutes)
    introduction = "The servers of `examples-http`, each asked for its hello. `benchmarks/http_servers.py` wrote this."
    results.put(options.output, report.section("HTTP servers", introduction, text, facts))
    tell(f"written: {options.output}")


def measure(peer: Peer, number: int, options: argparse.Namespace, logs: Path) -> Sample:
    with running(peer, logs, ASKED) as server:
        run_wrk(server.port, ASKED, CONNECTIONS, options.warm_up)
        before = process_tree.cpu_seconds(server.process.pid)
        load = run_wrk(server.port, ASKED, CONNECTIONS, options.seconds)
        cpu = process_tree.cpu_seconds(server.process.pid) - before
    sample = Sample(peer.key, ASKED.key, number, load, cpu)
    tell(f"round {number}: {peer.key}: {sample.rate:,.0f} a second, {sample.cpu_micros:.1f} \u00b5s")
    return sample


def table(upstreams: Sequence[Upstream], peers: dict[str, list[Peer]], samples: Sequence[Sample]) -> str:
    head = ["server", "asked", "req/s", "of the direct ones", "CPU \u00b5s per request", "p99 ms"]
    rows = []
    for upstream in upstreams:
        direct = peers[upstream.key][0].key
        against = {each.round: each.rate for each in samples if each.peer == direct}
        for peer in peers[upstream.key]:
            of = [each for each in samples if each.peer == peer.key]
            cells = [
                upstream.title,
                peer.title,
                report.spread_over([each.rate for each in of], ",.0f"),
                report.spread_over([each.rate / against[each.round] for each in of], ".2f"),
                report.spread_over([each.cpu_micros for each in of], ",.1f"),
                report.spread_over([each.load.p99_micros / 1000 for each in of], ".2f"),
            ]
            rows.append(cells)
    return report.table(head, rows)


def facts_of(
    peers: dict[str, list[Peer]], options: argparse.Namespace, started: datetime, minutes: float
) -> list[tuple[str, str]]:
    versions = dict.fromkeys(peer.versions for ways in peers.values() for peer in ways)
    return [
        *report.circumstances(started, minutes),
        ("servers", ", ".join(versions)),
        ("client", f"{machine.wrk_version()}, one thread, {CONNECTIONS} connections"),
        ("rounds", f"{options.rounds}, {options.seconds} s each after {options.warm_up} s that are not counted"),
        ("figures", "median (least to most); ratios within each round; CPU of proxy and server together"),
    ]


if __name__ == "__main__":
    sys.exit(exit_code(run, parse(sys.argv[1:])))
