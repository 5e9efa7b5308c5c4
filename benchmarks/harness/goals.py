"""The ratios that the project promises itself, between two peers in the same run."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.rounds import Measurements, Sample, Spread


@dataclass(frozen=True)
class Goal:
    subject: str
    against: str
    throughput: float | None = None
    """Requests per second, at least so many times those of the other."""
    cpu: float | None = None
    """CPU time per request, at most so many times that of the other."""
    shapes: Sequence[str] = ("hello", "browser")


GOALS = (
    Goal("core", "microhttp", throughput=1.0, cpu=1.0),
    Goal("core", "nginx-2", cpu=1.0),
    Goal("core-counted", "core", cpu=1.03),
    Goal("core", "microhttp", throughput=1.2, shapes=("pipelined",)),
    Goal("handoff-python", "uvicorn", throughput=2.5, cpu=0.5),
    Goal("handoff-node", "node-http", throughput=2.0, cpu=0.65),
    Goal("handoff-python", "core", throughput=0.6),
    Goal("handoff-node", "core", throughput=0.6),
)


@dataclass(frozen=True)
class Ratio:
    goal: Goal
    throughput: Spread
    cpu: Spread

    @property
    def reached(self) -> bool:
        """By the medians."""
        fast = self.goal.throughput is None or self.throughput.median >= self.goal.throughput
        cheap = self.goal.cpu is None or self.cpu.median <= self.goal.cpu
        return fast and cheap


def ratios(measurements: Measurements, shape: str) -> list[Ratio]:
    """The goals of which both peers were measured under this shape."""
    found = []
    for goal in GOALS:
        pairs = list(zip(measurements.of(goal.subject, shape), measurements.of(goal.against, shape), strict=False))
        if pairs and shape in goal.shapes:
            found.append(_ratio(goal, pairs))
    return found


def _ratio(goal: Goal, pairs: list[tuple[Sample, Sample]]) -> Ratio:
    """Each round gives a ratio of its own, so that what slowed the whole round cancels out."""
    return Ratio(
        goal,
        Spread.over([subject.requests_per_second / against.requests_per_second for subject, against in pairs]),
        Spread.over([subject.cpu_micros / against.cpu_micros for subject, against in pairs]),
    )
