"""What messages of WebSockets cost, and what WebSockets cost that nobody uses."""

import json
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from load.echoers import Figures
from load.paced_client import Figures as Paced

from harness import clients, process_tree
from harness.load import LoadFailed, run_wrk
from harness.peers import Peer
from harness.report import table
from harness.server import running
from harness.streams import CHECK, SETTLE_SECONDS, WARM_UP_CONNECTIONS, WARM_UP_SECONDS, Memory, memory

HEADING = "# WebSockets"
ECHOING = (100, 1000)
RATE = 200
CONNECTIONS = 8


@dataclass(frozen=True)
class WebSocketPlan:
    peers: Sequence[Peer]
    idle: int
    seconds: float


@dataclass(frozen=True)
class Echo:
    peer: str
    sockets: int
    figures: Figures
    cpu_seconds: float


@dataclass(frozen=True)
class Idle:
    peer: str
    sockets: int
    grown: Memory
    busy: float
    """Share of one core."""
    alone: Paced
    beside: Paced


def measure_echoes(plan: WebSocketPlan, logs: Path, tell: Callable[[str], None]) -> list[Echo]:
    found = []
    for peer in plan.peers:
        for sockets in ECHOING:
            with running(peer, logs, CHECK) as server:
                with _echoers(server.port, 50, WARM_UP_SECONDS) as process:
                    _measured(process)
                with _echoers(server.port, sockets, plan.seconds) as process:
                    cpu = process_tree.cpu_seconds(server.process.pid)
                    figures = _measured(process)
                    cpu = process_tree.cpu_seconds(server.process.pid) - cpu
                found.append(Echo(peer.key, sockets, figures, cpu))
            tell(f"{peer.title}: {', '.join(_echo(found[-1]))}")
    return found


def measure_idle(plan: WebSocketPlan, logs: Path, tell: Callable[[str], None]) -> list[Idle]:
    found = []
    for peer in plan.peers:
        with running(peer, logs, CHECK) as server:
            run_wrk(server.port, CHECK, WARM_UP_CONNECTIONS, WARM_UP_SECONDS)
            alone = clients.run_paced(server.port, RATE, CONNECTIONS, plan.seconds)
            before = memory(server)
            with _echoers(server.port, plan.idle, 0):
                time.sleep(SETTLE_SECONDS)
                cpu, clock = process_tree.cpu_seconds(server.process.pid), time.monotonic()
                beside = clients.run_paced(server.port, RATE, CONNECTIONS, plan.seconds)
                busy = (process_tree.cpu_seconds(server.process.pid) - cpu) / (time.monotonic() - clock)
                now = memory(server)
            grown = Memory(now.first - before.first, now.others - before.others)
            found.append(Idle(peer.key, plan.idle, grown, busy, alone, beside))
        tell(f"{peer.title}: {', '.join(_idle(found[-1]))}")
    return found


@contextmanager
def _echoers(port: int, sockets: int, seconds: float) -> Iterator["subprocess.Popen[str]"]:
    with clients.process("echoers", port=port, sockets=sockets, seconds=seconds) as process:
        assert process.stdout
        if not process.stdout.readline():
            raise LoadFailed("the clients of the WebSockets failed")
        yield process


def _measured(process: "subprocess.Popen[str]") -> Figures:
    assert process.stdin and process.stdout
    process.stdin.write("\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        raise LoadFailed("the clients of the WebSockets failed")
    return Figures(**json.loads(line))


def tables(plan: WebSocketPlan, echoes: Sequence[Echo], idle: Sequence[Idle]) -> str:
    titles = {peer.key: peer.title for peer in plan.peers}
    parts = []
    if echoes:
        header = ["server", "sockets", "round trips/s", "p50, p99 ms", "CPU µs per message and its echo"]
        parts += ["## Echoes of 32 bytes", table(header, [[titles[each.peer], *_echo(each)] for each in echoes])]
    if idle:
        header = ["server", "open", "KiB each", "server busy", "small p50, p99 ms", "alone"]
        parts += ["## Idle WebSockets", table(header, [[titles[each.peer], *_idle(each)] for each in idle])]
    return "\n\n".join(parts) + "\n"


def section(plan: WebSocketPlan, text: str, facts: Sequence[tuple[str, str]]) -> str:
    versions = [(peer.title, peer.versions) for peer in plan.peers]
    parts = [
        HEADING,
        "Written by `benchmarks/web_sockets.py`; [README.md](README.md#websockets) says how it measures and how to read this.",
        table(["", ""], facts),
        text.rstrip("\n"),
        table(["server", "versions"], versions),
    ]
    return "\n\n".join(parts) + "\n"


def _echo(found: Echo) -> list[str]:
    figures = found.figures
    return [
        f"{found.sockets:,}",
        f"{figures.messages / figures.seconds:,.0f}",
        f"{figures.p50 / 1000:.2f}, {figures.p99 / 1000:.2f}",
        f"{found.cpu_seconds / figures.messages * 1e6:.1f}",
    ]


def _idle(found: Idle) -> list[str]:
    each = f"{found.grown.first / found.sockets / 1024:.1f} + {found.grown.others / found.sockets / 1024:.1f}"
    return [f"{found.sockets:,}", each, f"{found.busy:.0%}", _small(found.beside), _small(found.alone)]


def _small(figures: Paced) -> str:
    return f"{figures.p50 / 1000:.2f}, {figures.p99 / 1000:.2f}"
