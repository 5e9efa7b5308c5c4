#!/usr/bin/env python3
"""Measures WebSockets on Handoff and other servers, and writes it to RESULTS.md."""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from pathlib import Path

from harness import report, results, web_sockets
from harness.command import exit_code
from harness.options import names_of, positive, tell
from harness.peers import Peer, prepare
from harness.web_socket_peers import WEB_SOCKET_PEERS
from harness.web_sockets import WebSocketPlan, measure_echoes, measure_idle
from harness.workspace import BENCHMARKS, ROOT, Workspace, output_of
from load import descriptors

OURS = ["handoff-python", "handoff-node"]
SPARE_CONNECTIONS = 1000


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--idle", type=positive, default=10_000, help="open and silent at once (default: 10000)")
    parser.add_argument("--seconds", type=positive, default=10, help="of each measurement (default: 10)")
    parser.add_argument(
        "--only", type=names_of(WEB_SOCKET_PEERS), metavar="SERVERS", help=f"of {', '.join(WEB_SOCKET_PEERS)}"
    )
    parser.add_argument(
        "--output", type=Path, help="the file for the results (default: RESULTS.md, or none with --only)"
    )
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    output_of(ROOT / "scripts" / "setup", "bench")
    connections = options.idle + SPARE_CONNECTIONS
    descriptors.allow(connections)
    workspace = Workspace()
    peers = {key: allowing(connections, build) for key, build in WEB_SOCKET_PEERS.items()}
    plan = WebSocketPlan(prepare(peers, options.only, OURS, workspace), options.idle, options.seconds)
    started = datetime.now(timezone.utc)
    clock = time.monotonic()
    logs = workspace.folder("logs")
    text = web_sockets.tables(plan, measure_echoes(plan, logs, tell), measure_idle(plan, logs, tell))
    print(text)
    output = options.output or (None if options.only else BENCHMARKS / "RESULTS.md")
    if output:
        facts = report.circumstances(started, (time.monotonic() - clock) / 60)
        results.put(output, web_sockets.section(plan, text, facts))
        tell(f"written: {output}")


def allowing(connections: int, build: Callable[[Workspace, int], Peer]) -> Callable[[Workspace], Peer]:
    """A server that may have so many connections."""
    return lambda workspace: build(workspace, connections)


if __name__ == "__main__":
    sys.exit(exit_code(run, parse(sys.argv[1:])))
