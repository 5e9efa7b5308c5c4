"""Measures what is served while more is asked for than the workers can do."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness import open_loop
from harness.open_loop import Outcome
from harness.peers import Peer
from harness.rounds import Spread
from harness.server import running
from harness.shapes import SHAPES
from harness.workspace import PEER_SOURCES, ROOT, Workspace

WINDOW = 8
SERVICE_SECONDS = 0.04
QUEUE_TIMEOUT_SECONDS = 2.0
PATIENCE_SECONDS = 1.0
FACTORS = (1, 2, 3)
"""Times the capacity."""
QUEUES = {"a short queue, of 100": 100, "a long queue, of 500": 500}
GOODPUT_GOAL = 0.9


@dataclass(frozen=True)
class Plan:
    rounds: int
    seconds: int
    """Of load for each figure."""
    warm_up_seconds: int
    """Of the same load, before it."""


@dataclass(frozen=True)
class Sample:
    """One queue under one rate in one round."""

    queue: str
    factor: int
    peak: float
    """Requests per second that the same server answered just before, when nobody asked for more than it could do."""
    outcome: Outcome

    @property
    def share_of_peak(self) -> float:
        return self.outcome.goodput / self.peak

    def served_millis(self, percent: int) -> float:
        return percentile(self.outcome.served_seconds, percent) * 1000

    @property
    def refused_millis(self) -> float:
        return percentile(self.outcome.refused_seconds, 99) * 1000


def handoff(workspace: Workspace, queue_requests: int) -> Peer:
    workspace.handoff_jars()  # so that ./handoff does not build while the clock runs

    def command(port: int) -> list[str]:
        run = [str(ROOT / "handoff"), "run", str(PEER_SOURCES / "sleeper.py"), "--workers", "1", "--port", str(port)]
        run += ["--admin-port", "0", "--concurrency", str(WINDOW)]
        return [*run, "--queue-timeout", f"{QUEUE_TIMEOUT_SECONDS:.0f}s", "--queue-requests", str(queue_requests)]

    environment = workspace.environment() | {"SLEEPER_MILLIS": str(SERVICE_SECONDS * 1000)}
    return Peer("overload", "Handoff + sleeping worker", workspace.java_version(), command, environment)


def measure(plan: Plan, workspace: Workspace, tell: Callable[[str], None]) -> list[Sample]:
    """Every round starts every server anew; every other round runs backwards."""
    samples = []
    logs = workspace.folder("logs")
    for number in range(1, plan.rounds + 1):
        queues = list(QUEUES)
        for queue in queues if number % 2 else reversed(queues):
            for sample in _measure_one(plan, queue, handoff(workspace, QUEUES[queue]), logs):
                samples.append(sample)
                tell(f"round {number}  {_line(sample)}")
    return samples


def _measure_one(plan: Plan, queue: str, peer: Peer, logs: Path) -> Iterator[Sample]:
    with running(peer, logs, SHAPES["hello"]) as server:
        peak = open_loop.closed(server.port, 3 * WINDOW, PATIENCE_SECONDS, plan.warm_up_seconds, plan.seconds).goodput
        for factor in FACTORS:
            rate = factor * peak
            outcome = open_loop.at_rate(server.port, rate, PATIENCE_SECONDS, plan.warm_up_seconds, plan.seconds)
            yield Sample(queue, factor, peak, outcome)


def table(samples: Sequence[Sample]) -> str:
    header = ["queue", "offered", "req/s served", "of the peak", "p50 ms", "p99 ms", "p99 ms of 503s", "the others"]
    lines = [header, ["---"] * len(header)]
    for queue in QUEUES:
        for factor in FACTORS:
            alike = [sample for sample in samples if (sample.queue, sample.factor) == (queue, factor)]
            if alike:
                lines.append([queue, f"{factor} x capacity", *_cells(alike)])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cells(samples: Sequence[Sample]) -> list[str]:
    share = Spread.over([sample.share_of_peak for sample in samples])
    others: Counter[str] = sum((sample.outcome.others for sample in samples), Counter())
    total = sum(sample.outcome.requests for sample in samples)
    return [
        f"{statistics.median(sample.outcome.goodput for sample in samples):,.0f}",
        f"{share.median:.0%} ({share.least:.0%} to {share.most:.0%})",
        f"{statistics.median(sample.served_millis(50) for sample in samples):,.0f}",
        f"{statistics.median(sample.served_millis(99) for sample in samples):,.0f}",
        f"{statistics.median(sample.refused_millis for sample in samples):,.0f}",
        ", ".join(f"{count / total:.0%} {error}" for error, count in others.most_common()) or "none",
    ]


def verdicts(samples: Sequence[Sample]) -> str:
    """Whether the goals are reached, by the medians."""
    worst = [sample for sample in samples if sample.factor == max(FACTORS)]
    by_queue = [[sample for sample in worst if sample.queue == queue] for queue in QUEUES]
    share = min(statistics.median(sample.share_of_peak for sample in queue) for queue in by_queue)
    slowest = max(statistics.median(sample.served_millis(99) for sample in queue) for queue in by_queue)
    bound = (QUEUE_TIMEOUT_SECONDS + SERVICE_SECONDS) * 1000
    p99 = f"p99 of what is served is {slowest:,.0f} ms; goal: at most queue timeout and handler, {bound:,.0f} ms"
    return f"""At {max(FACTORS)} times the capacity:

- goodput is {share:.0%} of the peak; goal: at least {GOODPUT_GOAL:.0%}: {_reached(share >= GOODPUT_GOAL)}
- {p99}: {_reached(slowest <= bound)}"""


def percentile(values: Sequence[float], percent: int) -> float:
    """The least value that so many percent of the values do not exceed; 0 of none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def _reached(yes: bool) -> str:
    return "reached" if yes else "**not reached**"


def _line(sample: Sample) -> str:
    line = (
        f"{sample.queue:<26} {sample.factor} x {sample.peak:>4,.0f} req/s: {sample.outcome.goodput:>4,.0f} served"
        f" ({sample.share_of_peak:>4.0%}), p99 {sample.served_millis(99):>5,.0f} ms"
    )
    late = sample.outcome.most_late_seconds
    return line if late < SERVICE_SECONDS else f"{line}  (the client was up to {late * 1000:,.0f} ms late)"
