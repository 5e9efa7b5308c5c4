"""What a normal client feels while thousands of slow ones hold connections to the same server."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from load.paced_client import Figures
from load.tricklers import Counts

from harness import clients, machine, process_tree
from harness.clients import Tricklers
from harness.load import LoadFailed, run_wrk
from harness.peers import Peer
from harness.rounds import OTHERS_WORTH_TELLING
from harness.server import Server, running
from harness.shapes import SHAPES, Shape

CHECK: Shape = SHAPES["hello"]
WARM_UP_CONNECTIONS = 64
CONTROL = "control"
"""The phase in which the slow clients hold connections to somebody else."""
SLOW = "slow"
BEFORE = "before"
AFTER = "after"
OPEN_ENOUGH = 0.99
"""While some are always between their last connection and their next, this share is all of them."""
OPENING_SECONDS = 20.0
"""Beyond the time that opening so many takes."""


@dataclass(frozen=True)
class SlowPlan:
    peers: Sequence[Peer]
    with_control: Sequence[str]
    """The keys of the peers that are measured also while somebody else has the slow clients."""
    slow_clients: int
    opens_per_second: int
    pause_seconds: float
    rate: int
    connections: int
    """Of the normal client."""
    warm_up_seconds: int
    baseline_seconds: float
    slow_seconds: float
    settle_seconds: float
    """After the slow clients are all there, and after they are gone."""


@dataclass(frozen=True)
class Crowding:
    """What the slow clients did while the normal one was measured."""

    seconds: float
    least_open: int
    opened: int
    """Connections that came again; their first time was before."""
    ended: int
    failed: int
    answers: dict[str, int]
    """By status."""
    sent_bytes: int
    busy: float
    """Share of one core."""
    longest_turn_seconds: float


@dataclass(frozen=True)
class Phase:
    peer: str
    name: str
    figures: Figures
    server_busy: float
    """Share of one core, of all its processes."""
    memory_bytes: int
    others_busy: float
    """The share of all cores that went neither to the server nor to the clients."""
    crowding: Crowding | None


def measure_slow_clients(plan: SlowPlan, logs: Path, tell: Callable[[str], None]) -> list[Phase]:
    """For each server: the normal client alone, with the slow ones, alone again."""
    phases = []
    for peer in plan.peers:
        with running(peer, logs, CHECK) as server:
            for phase in _phases_of(server, plan):
                phases.append(phase)
                tell(line(phase))
    return phases


def _phases_of(server: Server, plan: SlowPlan) -> Iterator[Phase]:
    run_wrk(server.port, CHECK, WARM_UP_CONNECTIONS, plan.warm_up_seconds)
    yield _measure(server, BEFORE, plan, plan.baseline_seconds, None)
    yield _measure_crowded(server, SLOW, server.port, plan)
    time.sleep(plan.settle_seconds)
    yield _measure(server, AFTER, plan, plan.baseline_seconds, None)
    if server.peer.key in plan.with_control:
        with clients.sink() as port:
            yield _measure_crowded(server, CONTROL, port, plan)


def _measure_crowded(server: Server, name: str, port: int, plan: SlowPlan) -> Phase:
    """The slow clients hold connections to `port` while the normal one asks the server."""
    opening = plan.slow_clients / plan.opens_per_second + OPENING_SECONDS
    limit = opening + plan.slow_seconds + plan.settle_seconds + clients.PATIENCE_SECONDS
    with clients.tricklers(port, plan.slow_clients, plan.opens_per_second, plan.pause_seconds, limit) as crowd:
        crowd.await_open(int(plan.slow_clients * OPEN_ENOUGH), opening)
        time.sleep(plan.settle_seconds)
        seconds = plan.slow_seconds if name == SLOW else plan.baseline_seconds
        return _measure(server, name, plan, seconds, crowd)


def _measure(server: Server, name: str, plan: SlowPlan, seconds: float, crowd: Tricklers | None) -> Phase:
    crowd_before = crowd.next_counts() if crowd else None
    clock = time.monotonic()
    all_before = machine.cpu_seconds()
    server_before = process_tree.cpu_seconds(server.process.pid)
    figures = clients.run_paced(server.port, plan.rate, plan.connections, seconds)
    server_cpu = process_tree.cpu_seconds(server.process.pid) - server_before
    all_cpu = machine.cpu_seconds() - all_before
    took = time.monotonic() - clock
    if figures.answers == 0:
        raise LoadFailed(f"{server.peer.key} answered the normal client nothing")
    crowding = None
    if crowd and crowd_before:
        crowd.next_counts()
        crowding = crowding_over(crowd.since(crowd_before))
    crowd_cpu = crowding.busy * took if crowding else 0.0
    others = max(0.0, all_cpu - server_cpu - figures.cpu_seconds - crowd_cpu)
    return Phase(
        peer=server.peer.key,
        name=name,
        figures=figures,
        server_busy=server_cpu / took,
        memory_bytes=process_tree.memory_bytes(server.process.pid),
        others_busy=others / took / machine.cores(),
        crowding=crowding,
    )


def crowding_over(reports: Sequence[Counts]) -> Crowding:
    """What happened between the first of these reports and the last."""
    first, last = reports[0], reports[-1]
    answers = {status: count - first.answers.get(status, 0) for status, count in last.answers.items()}
    return Crowding(
        seconds=last.at - first.at,
        least_open=min(counts.open for counts in reports),
        opened=last.opened - first.opened,
        ended=last.ended - first.ended,
        failed=last.failed - first.failed,
        answers={status: count for status, count in answers.items() if count},
        sent_bytes=last.sent_bytes - first.sent_bytes,
        busy=(last.cpu_seconds - first.cpu_seconds) / (last.at - first.at),
        longest_turn_seconds=max(counts.longest_turn_seconds for counts in reports),
    )


def line(phase: Phase) -> str:
    """For the terminal."""
    figures = phase.figures
    text = (
        f"{phase.peer:<14}  {phase.name:<7}  p50 {figures.p50 / 1000:.2f}  p99 {figures.p99 / 1000:.2f}"
        f"  p99.9 {figures.p999 / 1000:.2f} ms  errors {figures.errors}  server {phase.server_busy:.0%} of a core"
    )
    if phase.crowding:
        held = phase.crowding
        answers = ", ".join(f"{status}: {count:,}" for status, count in sorted(held.answers.items())) or "none"
        text += f"  (slow: at least {held.least_open:,} open, answers {answers}, {held.busy:.0%} of a core)"
    if phase.others_busy > OTHERS_WORTH_TELLING:
        text += f"  ({phase.others_busy:.0%} of the machine went to others)"
    return text
