#!/usr/bin/env python3
"""Measures what TLS costs on Handoff, nginx and node:https, and writes it to RESULTS.md."""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from pathlib import Path

from harness import machine, process_tree, quiet, report, results
from harness.command import exit_code
from harness.comparison import refuse
from harness.load import Load, run_visitors, run_wrk
from harness.options import positive, tell
from harness.peers import Peer
from harness.sample import Sample
from harness.server import Server, running
from harness.shapes import Shape
from harness.tls_peers import BUILDERS, KINDS, make_pair, tls_port
from harness.workspace import BENCHMARKS, ROOT, Workspace, output_of

ASKED = Shape("plain", "plain")
CONNECTIONS = 32
WARM_UP_TIMES = 3
"""As many visits that are not counted, since compilers learn from them, as that are."""
KEPT, RESUMED = "requests on open connections", "connections with a session resumed"
WHOLE = {kind: f"connections, {kind}" for kind in KINDS}
"""With a whole handshake each."""


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=positive, default=3, help="of all servers (default: 3)")
    parser.add_argument("--seconds", type=positive, default=5, help="of requests on open connections (default: 5)")
    parser.add_argument("--warm-up", type=positive, default=10, help="seconds of these before (default: 10)")
    parser.add_argument("--visits", type=positive, default=2000, help="connections for a figure (default: 2000)")
    parser.add_argument("--output", type=Path, default=BENCHMARKS / "RESULTS.md", help="the file for the results")
    anyway = "the results even if the machine was not quiet; they say so"
    parser.add_argument("--write-anyway", action="store_true", help=anyway)
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    output_of(ROOT / "scripts" / "setup", "bench")  # installs wrk where it can
    workspace = Workspace()
    pairs = [make_pair(kind, workspace) for kind in KINDS]
    peers = {pair.kind: [build(pair, workspace) for build in BUILDERS] for pair in pairs}
    before = quiet.look()
    refuse(before, options.output, options.write_anyway)
    started = datetime.now(timezone.utc)
    clock = time.monotonic()
    samples = [
        sample
        for number in range(1, options.rounds + 1)
        for kind, servers in peers.items()
        for peer in (servers if number % 2 else reversed(servers))
        for sample in measure(peer, kind, number, options, workspace.folder("logs"))
    ]
    minutes = (time.monotonic() - clock) / 60
    text = table(peers, samples)
    print(text)
    shares = [sample.others_busy for sample in samples]
    complaint = quiet.complaint(shares)
    refuse(complaint, options.output, options.write_anyway)
    introduction = "Each server answers `hello` by itself. `benchmarks/tls_servers.py` wrote this."
    facts = facts_of(peers, options, started, minutes, shares)
    results.put(options.output, report.section("TLS", introduction, report.marked(text, before, complaint), facts))
    tell(f"written: {options.output}")


def measure(peer: Peer, kind: str, number: int, options: argparse.Namespace, logs: Path) -> list[Sample]:
    with running(peer, logs, ASKED) as server:
        port = tls_port(server.port)
        loads: dict[str, tuple[Callable[[], Load], Callable[[], Load]]] = {
            WHOLE[kind]: visiting(port, options.visits, False)
        }
        if kind == "P-256":
            loads[RESUMED] = visiting(port, options.visits, True)
            loads[KEPT] = (
                lambda: run_wrk(port, ASKED, CONNECTIONS, options.warm_up, scheme="https"),
                lambda: run_wrk(port, ASKED, CONNECTIONS, options.seconds, scheme="https"),
            )
        samples = []
        for asked, (warm_up, measured) in loads.items():
            warm_up()
            samples.append(sample_of(server, asked, number, measured))
            tell(
                f"round {number}: {peer.key}, {asked}: {samples[-1].rate:,.0f} a second, {samples[-1].cpu_micros:,.1f} µs"
            )
    return samples


def sample_of(server: Server, asked: str, number: int, measured: Callable[[], Load]) -> Sample:
    all_before, before = machine.cpu_seconds(), process_tree.cpu_seconds(server.process.pid)
    load = measured()
    cpu = process_tree.cpu_seconds(server.process.pid) - before
    others = max(0.0, machine.cpu_seconds() - all_before - cpu - load.client_cpu_seconds)
    memory = process_tree.memory_bytes(server.process.pid)
    return Sample(server.peer.key, asked, number, load, cpu, memory, others / load.seconds / machine.cores())


def visiting(port: int, visits: int, resumed: bool) -> tuple[Callable[[], Load], Callable[[], Load]]:
    return lambda: run_visitors(port, visits * WARM_UP_TIMES, resumed), lambda: run_visitors(port, visits, resumed)


def table(peers: dict[str, list[Peer]], samples: Sequence[Sample]) -> str:
    rows = []
    for asked in (KEPT, *WHOLE.values(), RESUMED):
        servers = peers["RSA 2048" if asked == WHOLE["RSA 2048"] else "P-256"]
        against = {
            each.round: each.cpu_micros for each in samples if (each.peer, each.asked) == (servers[1].key, asked)
        }
        for peer in servers:
            of = [each for each in samples if (each.peer, each.asked) == (peer.key, asked)]
            cells = [
                asked,
                peer.title,
                report.spread_over([each.cpu_micros for each in of], ",.1f"),
                report.spread_over([each.cpu_micros / against[each.round] for each in of], ".2f"),
                report.spread_over([each.rate for each in of], ",.0f"),
                f"{max(each.memory_bytes for each in of) / (1 << 20):.0f}",
            ]
            rows.append(cells)
    return report.table(["what", "server", "CPU µs for each", "of nginx's", "a second", "MiB"], rows)


def facts_of(
    peers: dict[str, list[Peer]],
    options: argparse.Namespace,
    started: datetime,
    minutes: float,
    shares: Sequence[float],
) -> list[tuple[str, str]]:
    versions = dict.fromkeys(peer.versions for servers in peers.values() for peer in servers)
    visits = (
        f"{options.visits} connections for each figure, after {options.visits * WARM_UP_TIMES} that are not counted"
    )
    return [
        *report.circumstances(started, minutes),
        ("other programs during the load", f"{statistics.median(shares):.0%} of all cores, at most {max(shares):.0%}"),
        ("servers", ", ".join(versions)),
        ("open connections", f"{machine.wrk_version()}, one thread, {CONNECTIONS} connections, {options.seconds} s"),
        ("new connections", f"TLS 1.3, a request each, four clients of Python's `ssl` at a time; {visits}"),
        ("rounds", f"{options.rounds}, each with a new start"),
        ("figures", "median (least to most); ratios within each round"),
    ]


if __name__ == "__main__":
    sys.exit(exit_code(run, parse(sys.argv[1:])))
