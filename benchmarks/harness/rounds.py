"""Measures all peers in interleaved rounds."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness import machine, process_tree
from harness.load import Load, LoadFailed, run_wrk
from harness.peers import Peer
from harness.server import Server, running
from harness.shapes import Shape

OTHERS_WORTH_TELLING = 0.1


@dataclass(frozen=True)
class Plan:
    peers: Sequence[Peer]
    shapes: Sequence[Shape]
    rounds: int
    seconds: int
    """Of load for each figure."""
    warm_up_seconds: int
    """Of load of each shape, after a start."""
    connections: int


@dataclass(frozen=True)
class Sample:
    """One server under one shape in one round."""

    peer: str
    shape: str
    start: int
    """The how manieth time the server was started; what it measured since then shares the luck of that start."""
    round: int
    """Samples of the same round were taken one after the other, so that they may be compared."""
    requests_per_second: float
    cpu_micros: float
    """CPU time per request, of all the server's processes."""
    p50_micros: float
    p99_micros: float
    memory_bytes: float
    client_busy: float
    """The share of its one core that the client used; near 1 it was the client who could do no more."""
    others_busy: float
    """The share of all cores that went neither to the server nor to the client."""


@dataclass(frozen=True)
class Measurements:
    samples: list[Sample]
    response_heads: dict[str, str]
    """What each peer answered to a bare request."""

    def of(self, peer: str, shape: str) -> list[Sample]:
        """In the order of the rounds."""
        return [sample for sample in self.samples if (sample.peer, sample.shape) == (peer, shape)]


@dataclass(frozen=True)
class Spread:
    """What several rounds gave for one figure."""

    median: float
    least: float
    most: float

    @staticmethod
    def over(values: Sequence[float]) -> "Spread":
        return Spread(statistics.median(values), min(values), max(values))


def measure(plan: Plan, logs: Path, tell: Callable[[str], None]) -> Measurements:
    """Runs the plan.

    Every round starts every server anew, and only one is ever there. So none shares the few cores with the timers and
    collectors of the others, and the median is one over several processes rather than over the luck of one. Every other
    round runs backwards, so that no server always has the machine as the same one left it.
    """
    measurements = Measurements([], {})
    for number in range(1, plan.rounds + 1):
        for peer in plan.peers if number % 2 else reversed(plan.peers):
            with running(peer, logs, plan.shapes[0]) as server:
                measurements.response_heads[peer.key] = server.check(plan.shapes[0])
                warm_up(server, plan)
                for shape in plan.shapes:
                    sample = measure_one(server, shape, number, number, plan)
                    measurements.samples.append(sample)
                    tell(line(sample))
    return measurements


def warm_up(server: Server, plan: Plan) -> None:
    """Shows the server every shape, so that compilers that learn from the load know them all when the first is measured."""
    for shape in plan.shapes:
        server.check(shape)
        _load(server, shape, plan.connections, plan.warm_up_seconds)


def _load(server: Server, shape: Shape, connections: int, seconds: int) -> Load:
    try:
        return run_wrk(server.port, shape, connections, seconds)
    except LoadFailed as problem:
        raise LoadFailed(f"{server.peer.key}, {shape.title}: {problem}") from problem


def measure_one(server: Server, shape: Shape, start: int, number: int, plan: Plan) -> Sample:
    own_before = time.process_time()
    all_before = machine.cpu_seconds()
    server_before = process_tree.cpu_seconds(server.process.pid)
    load = _load(server, shape, plan.connections, plan.seconds)
    server_cpu = process_tree.cpu_seconds(server.process.pid) - server_before
    all_cpu = machine.cpu_seconds() - all_before
    own_cpu = time.process_time() - own_before
    others_cpu = max(0.0, all_cpu - server_cpu - load.client_cpu_seconds - own_cpu)
    return Sample(
        peer=server.peer.key,
        shape=shape.key,
        start=start,
        round=number,
        requests_per_second=load.requests / load.seconds,
        cpu_micros=server_cpu * 1e6 / load.requests,
        p50_micros=load.p50_micros,
        p99_micros=load.p99_micros,
        memory_bytes=process_tree.memory_bytes(server.process.pid),
        client_busy=load.client_cpu_seconds / load.seconds,
        others_busy=others_cpu / load.seconds / machine.cores(),
    )


def line(sample: Sample) -> str:
    text = (
        f"round {sample.round}  {sample.peer:<14}  {sample.shape:<9}  {sample.requests_per_second:>8,.0f} req/s"
        f"  {sample.cpu_micros:>5.1f} µs CPU per request"
    )
    if sample.others_busy > OTHERS_WORTH_TELLING:
        text += f"  ({sample.others_busy:.0%} of the machine went to others)"
    return text
