#!/usr/bin/env python3
"""Measures 1, 2 and 4 replicas behind one balancer, each held to a share of a core, and writes it to RESULTS.md."""

import argparse
import http.client
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from harness import machine, process_tree, report, results
from harness.clients import run_paced
from harness.command import exit_code
from harness.load import run_wrk
from harness.options import positive, tell
from harness.peers import Peer
from harness.rounds import Spread
from harness.server import Server, free_port, running
from harness.shapes import Shape
from harness.share import PERIOD_MICROS, held
from harness.workspace import BENCHMARKS, ROOT, Workspace, find, output_of

ASKED = Shape("plain", "plain")
COUNTS = (1, 2, 4)
CONNECTIONS_EACH = 32
SCRAPES = 50
BALANCER = """\
global
    nbthread 1
    log stderr format raw local0 err
defaults
    mode http
    timeout connect 3s
    timeout client 60s
    timeout server 60s
    http-reuse always
frontend front
    bind 127.0.0.1:@port@
    default_backend replicas
backend replicas
    balance roundrobin
"""


@dataclass(frozen=True)
class Sample:
    replicas: int
    rate: float
    replica_micros: float
    """CPU per request, of all replicas together."""
    balancer_micros: float
    busy_p99_micros: float
    half_p99_micros: float
    """At half the rate."""


@dataclass(frozen=True)
class Scrape:
    size_bytes: int
    cpu_micros: float


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=positive, default=3, help="of all numbers of replicas (default: 3)")
    parser.add_argument("--seconds", type=positive, default=6, help="of each measurement (default: 6)")
    parser.add_argument("--warm-up", type=positive, default=15, help="seconds before, of each replica (default: 15)")
    parser.add_argument("--percent", type=positive, default=10, help="of a core for each replica (default: 10)")
    parser.add_argument("--output", type=Path, default=BENCHMARKS / "RESULTS.md", help="the file for the results")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    output_of(ROOT / "scripts" / "setup", "bench")
    workspace = Workspace()
    started = datetime.now(timezone.utc)
    clock = time.monotonic()
    samples: list[Sample] = []
    scrapes: list[Scrape] = []
    for number in range(1, options.rounds + 1):
        for replicas in COUNTS:
            sample, scraped = measure(replicas, options, workspace)
            tell(f"round {number}: {replicas} replicas: {sample.rate:,.0f} a second")
            samples.append(sample)
            scrapes.append(scraped)
    text = f"{table(samples)}\n\n{scrape_line(scrapes)}"
    print(text)
    facts = facts_of(options, workspace, started, (time.monotonic() - clock) / 60)
    introduction = "Replicas behind HAProxy, each held to a share of a core. `benchmarks/replicas.py` wrote this."
    results.put(options.output, report.section("Replicas", introduction, text, facts))
    tell(f"written: {options.output}")


def measure(replicas: int, options: argparse.Namespace, workspace: Workspace) -> tuple[Sample, Scrape]:
    """
    Warms each replica up at full speed. Java's compilers take 4 s of CPU for what a hello runs; at a tenth of a core they would take nine
    tenths of it for a minute, and the figures would be theirs.
    """
    logs = workspace.folder("logs")
    with ExitStack() as stack:
        admin_ports = [free_port() for _ in range(replicas)]
        peers = [replica(number, port, workspace) for number, port in enumerate(admin_ports)]
        servers = [stack.enter_context(running(peer, logs, ASKED)) for peer in peers]
        for server in servers:
            run_wrk(server.port, ASKED, CONNECTIONS_EACH, options.warm_up)
        scraped = scrape(servers[0], admin_ports[0])
        front = stack.enter_context(running(balancer(servers, workspace), logs, ASKED))
        for server in servers:
            stack.enter_context(held(server.process.pid, options.percent / 100))
        return loaded(servers, front, options.seconds), scraped


def loaded(servers: Sequence[Server], front: Server, seconds: int) -> Sample:
    roots = [server.process.pid for server in servers]
    connections = CONNECTIONS_EACH * len(servers)
    run_wrk(front.port, ASKED, connections, 1)
    balancer_before, before = process_tree.cpu_seconds(front.process.pid), cpu_seconds(roots)
    load = run_wrk(front.port, ASKED, connections, seconds)
    balancer_cpu, cpu = process_tree.cpu_seconds(front.process.pid) - balancer_before, cpu_seconds(roots) - before
    rate = load.requests / load.seconds
    half = run_paced(front.port, int(rate / 2), connections, seconds)
    return Sample(
        len(servers),
        rate,
        cpu / load.requests * 1e6,
        balancer_cpu / load.requests * 1e6,
        load.p99_micros,
        half.p99,
    )


def cpu_seconds(roots: Sequence[int]) -> float:
    return sum(map(process_tree.cpu_seconds, roots))


def replica(number: int, admin_port: int, workspace: Workspace) -> Peer:
    def command(port: int) -> list[str]:
        worker = str(ROOT / "examples-python" / "sdk_hello.py")
        ports = ["--port", str(port), "--admin-port", str(admin_port)]
        return [str(ROOT / "handoff"), "run", worker, "--workers", "1", *ports]

    workspace.handoff_jars()  # so that ./handoff does not build while the clock runs
    versions = f"{workspace.java_version()}, {workspace.once(workspace.python(), '--version')}"
    return Peer(f"replica-{number}", "Handoff", versions, command, workspace.environment())


def balancer(servers: Sequence[Server], workspace: Workspace) -> Peer:
    program = find("haproxy")
    configuration = workspace.folder("haproxy-replicas") / "haproxy.cfg"
    lines = [f"    server replica{at} 127.0.0.1:{server.port}\n" for at, server in enumerate(servers)]

    def command(port: int) -> list[str]:
        configuration.write_text(BALANCER.replace("@port@", str(port)) + "".join(lines))
        return [program, "-f", str(configuration)]

    version = " ".join(output_of(program, "-v").split()[:3])
    return Peer("balancer", "HAProxy", version, command, workspace.environment())


def scrape(server: Server, admin_port: int) -> Scrape:
    """What Prometheus costs a replica each time it asks."""
    connection = http.client.HTTPConnection("127.0.0.1", admin_port, timeout=10)
    size, before = 0, 0.0
    for number in range(2 * SCRAPES):
        if number == SCRAPES:
            before = process_tree.cpu_seconds(server.process.pid)
        connection.request("GET", "/metrics")
        size = len(connection.getresponse().read())
    connection.close()
    return Scrape(size, (process_tree.cpu_seconds(server.process.pid) - before) / SCRAPES * 1e6)


def table(samples: Sequence[Sample]) -> str:
    micros = "CPU \u00b5s per request, replicas"
    head = ["replicas", "req/s", "of those of one", micros, "balancer", "p99 ms", "at half the rate"]
    rows = []
    ones = [each.rate for each in samples if each.replicas == 1]
    for count in COUNTS:
        of = [each for each in samples if each.replicas == count]
        cells = [
            str(count),
            report.spread_over([each.rate for each in of], ",.0f"),
            report.spread_over([each.rate / one for each, one in zip(of, ones, strict=True)], ".2f"),
            report.spread_over([each.replica_micros for each in of], ".1f"),
            report.spread_over([each.balancer_micros for each in of], ".1f"),
            report.spread_over([each.busy_p99_micros / 1000 for each in of], ".1f"),
            report.spread_over([each.half_p99_micros / 1000 for each in of], ".1f"),
        ]
        rows.append(cells)
    return report.table(head, rows)


def scrape_line(scrapes: Sequence[Scrape]) -> str:
    size = Spread.over([each.size_bytes / 1024 for each in scrapes]).median
    cpu = report.spread_over([each.cpu_micros / 1000 for each in scrapes], ".1f")
    return f"One scrape of a replica's `/metrics` is {size:.0f} KiB, and takes {cpu} ms of CPU."


def facts_of(
    options: argparse.Namespace, workspace: Workspace, started: datetime, minutes: float
) -> list[tuple[str, str]]:
    servers = replica(0, 0, workspace).versions, balancer([], workspace).versions
    return [
        *report.circumstances(started, minutes),
        ("servers", ", ".join(servers)),
        ("share", f"{options.percent} % of a core for each replica, in periods of {PERIOD_MICROS // 1000} ms"),
        ("client", f"{machine.wrk_version()}, one thread, {CONNECTIONS_EACH} connections for each replica"),
        ("rounds", f"{options.rounds}, {options.seconds} s for each figure"),
        ("figures", "median (least to most); ratios within each round"),
    ]


if __name__ == "__main__":
    sys.exit(exit_code(run, parse(sys.argv[1:])))
