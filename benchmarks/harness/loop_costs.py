"""Measures what a request costs each thread of Handoff, with the clients' connections on one of two loops or on the other.

Only processor time counts here, and system calls. So other programs on the machine make the figures larger, but not useless.
"""

import contextlib
import itertools
import json
import re
import socket
import statistics
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness import process_tree, threads
from harness.load import run_wrk
from harness.server import Server, ServerFailed, running
from harness.shapes import SHAPES
from harness.tuning_topics import CLOSED, handoff
from harness.workspace import PEER_SOURCES, ROOT, Workspace

HELLO = SHAPES["hello"]
WORKERS = {"plain": ROOT / "examples-python" / "sdk_hello.py", "asgi": PEER_SOURCES / "uvicorn_hello.py"}
POOL_LOOP, OTHER_LOOP = 1, 0
"""A pool is on the last loop, and connections are accepted on the first."""
PARKED = 1000
"""Connections that do nothing and keep those of the client away from a loop, since that has more then."""
WARM_UP_SECONDS, LONGEST_WARM_UP_SECONDS = 20, 120
COMPILING = 0.05
"""Java is warm when its compilers take no more than this part of what the loops take."""


@dataclass(frozen=True)
class Sample:
    """What one request took while the client's connections were all on one loop."""

    kind: str
    workers: int
    apart: bool
    """Whether the pool was on the other loop."""
    connections: int
    other_micros: float
    other_calls: float
    """Reads and writes."""
    pool_micros: float
    pool_calls: float
    worker_micros: float
    rest_micros: float
    """Of Java's other threads, but for its compilers."""


@dataclass(frozen=True)
class Fit:
    """What a request costs, and each read and write of a worker's socket."""

    client: float
    pool: float
    hop: float
    call: float


def fit(samples: Sequence[Sample]) -> Fit:
    """Takes apart what is there for each request and what is there for each system call, by medians."""
    apart = [sample for sample in samples if sample.apart]
    together = [sample for sample in samples if not sample.apart]
    call = slope([(sample.pool_calls, sample.pool_micros) for sample in apart])
    pool = statistics.median(sample.pool_micros - call * sample.pool_calls for sample in apart)
    # Two of the calls read the request and write the answer, and belong to it.
    client = statistics.median(sample.other_micros - call * (sample.other_calls - 2) for sample in apart)
    both = statistics.median(sample.pool_micros - call * (sample.pool_calls - 2) for sample in together)
    hop = max(0.0, client + pool - both)
    return Fit(client - hop / 2, pool - hop / 2, hop, call)


def worker_micros(samples: Sequence[Sample], kind: str) -> float:
    """Where one worker has all the requests, so that it hardly ever sleeps."""
    return statistics.median(sample.worker_micros for sample in samples if sample.kind == kind and sample.workers == 1)


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The median of the slopes between all pairs, which a few points that are far off do not move (Theil and Sen)."""
    pairs = itertools.combinations(points, 2)
    slopes = [(y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in pairs if x1 != x2]
    return statistics.median(slopes)


@dataclass(frozen=True)
class Warm:
    """A server whose code Java has compiled."""

    kind: str
    server: Server
    admin: str
    """The address of its admin server."""


def sample(warm: Warm, workers: Sequence[int], seconds: int, tell: Callable[[str], None]) -> list[Sample]:
    samples = []
    for count in workers:
        _scale(warm.admin, count)
        for apart, connections in itertools.product((True, False), (64, 256)):
            with _parked(warm.server.port, POOL_LOOP if apart else OTHER_LOOP):
                samples.append(_sample(warm, count, apart, connections, seconds))
            tell(str(samples[-1]))
    return samples


def accepting(warm: Warm, seconds: int) -> float:
    """Microseconds that a connection takes on the loop that accepts it and gives it to the other."""
    with _parked(warm.server.port, OTHER_LOOP):
        run_wrk(warm.server.port, CLOSED, 64, seconds)
        before = threads.usage(_java(warm.server))
        load = run_wrk(warm.server.port, CLOSED, 64, seconds)
        used = threads.used(before, threads.usage(_java(warm.server)))
    return used[_name(OTHER_LOOP)].cpu_micros / load.requests


@contextlib.contextmanager
def warm_server(workspace: Workspace, kind: str, tell: Callable[[str], None]) -> Iterator[Warm]:
    options = ("--workers", "2", "--loops", "2", "--idle-timeout", "1h")
    peer = handoff(workspace, f"loop-costs-{kind}", str(WORKERS[kind]), *options)
    with running(peer, workspace.folder("logs"), HELLO) as server:
        began = time.monotonic()
        compiling = 1.0
        while compiling > COMPILING or time.monotonic() - began < WARM_UP_SECONDS:
            if time.monotonic() - began > LONGEST_WARM_UP_SECONDS:
                raise ServerFailed("Java's compilers are never done")
            before = threads.usage(_java(server))
            run_wrk(server.port, HELLO, 64, 5)
            used = threads.used(before, threads.usage(_java(server)))
            compiling = _sum(used, ("C1", "C2")) / _sum(used, ("handoff-loop",))
            tell(f"warm-up: the compilers take {compiling:.0%} of what the loops take")
        dashboard = re.search(r"dashboard (http://\S+)", server.log.read_text())
        if dashboard is None:
            raise ServerFailed("it does not tell where its admin server is")
        yield Warm(kind, server, dashboard[1])


@contextlib.contextmanager
def _parked(port: int, loop: int) -> Iterator[None]:
    """Fills a loop with connections. Each newcomer goes to the loop that has fewer, so every other one is kept."""
    opened = []
    try:
        for _ in range(PARKED):
            opened.append(socket.create_connection(("127.0.0.1", port)))
            time.sleep(0.001)  # lest the backlog overflows
        time.sleep(1)
        for connection in opened[1 - loop :: 2]:
            connection.close()
        time.sleep(1)
        yield
    finally:
        for connection in opened:
            connection.close()


def _sample(warm: Warm, workers: int, apart: bool, connections: int, seconds: int) -> Sample:
    java = _java(warm.server)
    handlers = [process for process in process_tree.tree(java) if process != java]
    before = {process: threads.usage(process) for process in (java, *handlers)}
    load = run_wrk(warm.server.port, HELLO, connections, seconds)
    used = {process: threads.used(usage, threads.usage(process)) for process, usage in before.items()}
    other = used[java][_name(OTHER_LOOP)]
    pool = used[java][_name(POOL_LOOP)]
    everything = _sum(used[java], ("",))
    return Sample(
        warm.kind,
        workers,
        apart,
        connections,
        other.cpu_micros / load.requests,
        other.system_calls / load.requests,
        pool.cpu_micros / load.requests,
        pool.system_calls / load.requests,
        sum(_sum(used[process], ("",)) for process in handlers) / load.requests,
        (everything - _sum(used[java], ("handoff-loop", "C1", "C2"))) / load.requests,
    )


def _name(loop: int) -> str:
    return f"handoff-loop-{loop}"


def _sum(used: dict[str, threads.Usage], prefixes: tuple[str, ...]) -> float:
    return sum(usage.cpu_micros for name, usage in used.items() if name.startswith(prefixes))


def _java(server: Server) -> int:
    for process in process_tree.tree(server.process.pid):
        if Path(f"/proc/{process}/comm").read_text().strip() == "java":
            return process
    raise ServerFailed("there is no Java")


def _scale(admin: str, count: int) -> None:
    body = json.dumps({"workers": count}).encode()
    headers = {"Content-Type": "application/json"}
    asked = urllib.request.Request(f"{admin}pools/default/scale?wait=true", body, headers, method="POST")
    with urllib.request.urlopen(asked, timeout=90):
        pass
