"""The ratios that the project promises itself, between two peers in the same run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from harness.intervals import Interval, bootstrap
from harness.rounds import Measurements, Sample


@dataclass(frozen=True)
class Goal:
    subject: str
    against: str
    throughput: float | None = None
    """Requests per second, at least so many times those of the other."""
    cpu: float | None = None
    """CPU time per request, at most so many times that of the other."""
    shapes: Sequence[str] = ("hello", "browser")


# Where a goal is that Handoff be better, the limit is 1.
GOALS = (
    Goal("core", "microhttp", cpu=1.0),
    Goal("core", "nginx-1", cpu=1.1),
    Goal("core", "nginx-2", cpu=1.1),
    Goal("core-counted", "core", cpu=1.03),
    Goal("core", "microhttp", throughput=1.2, shapes=("pipelined",)),
    Goal("handoff-sdk-python", "uvicorn", cpu=0.5),
    Goal("handoff-sdk-node", "node-http", cpu=0.8),
    Goal("node-http-handoff", "node-http", throughput=1.0, cpu=1.0),
    Goal("asgi-handoff", "asgi-granian", cpu=1.0),
    Goal("asgi-handoff", "asgi-uvicorn", cpu=0.7),
    # The goal is NGINX Unit's, which cannot be had here: where it could, it took 0.71 of uvicorn's time for ASGI.
    Goal("wsgi-handoff", "asgi-uvicorn", cpu=0.71),
    Goal("starlette-handoff", "starlette-granian", throughput=1.0, cpu=1.0),
    Goal("starlette-handoff", "starlette-uvicorn", throughput=1.0, cpu=1.0),
    Goal("fastapi-handoff", "fastapi-granian", throughput=1.0, cpu=1.0),
    Goal("fastapi-handoff", "fastapi-uvicorn", throughput=1.0, cpu=1.0),
    Goal("django-handoff", "django-granian", throughput=1.0, cpu=1.0),
    Goal("django-handoff", "django-uvicorn", throughput=1.0, cpu=1.0),
    Goal("flask-handoff", "flask-granian", throughput=1.0, cpu=1.0),
    Goal("flask-handoff", "flask-gunicorn", throughput=1.0, cpu=1.0),
    Goal("express-handoff", "express-node", throughput=1.0, cpu=1.0),
    Goal("fastify-handoff", "fastify-node", throughput=1.0, cpu=1.0),
    Goal("koa-handoff", "koa-node", throughput=1.0, cpu=1.0),
    Goal("hono-handoff", "hono-node", throughput=1.0, cpu=1.0),
)


class Verdict(Enum):
    REACHED = "yes"
    MISSED = "**no**"
    UNDECIDED = "undecided"
    """The limit lies within the interval."""


@dataclass(frozen=True)
class Ratio:
    goal: Goal
    throughput: Interval
    cpu: Interval

    @property
    def verdict(self) -> Verdict:
        """Missed where one limit surely is, reached where each surely is kept."""
        verdicts = {self.throughput_verdict, self.cpu_verdict}
        return next(each for each in (Verdict.MISSED, Verdict.UNDECIDED, Verdict.REACHED) if each in verdicts)

    @property
    def throughput_verdict(self) -> Verdict:
        limit = self.goal.throughput
        if limit is None or self.throughput.low >= limit:
            return Verdict.REACHED
        return Verdict.MISSED if self.throughput.high < limit else Verdict.UNDECIDED

    @property
    def cpu_verdict(self) -> Verdict:
        limit = self.goal.cpu
        if limit is None or self.cpu.high <= limit:
            return Verdict.REACHED
        return Verdict.MISSED if self.cpu.low > limit else Verdict.UNDECIDED

    @property
    def half_width(self) -> float:
        """The wider one of those that have a limit."""
        limited = [(self.goal.throughput, self.throughput), (self.goal.cpu, self.cpu)]
        return max(interval.half_width for limit, interval in limited if limit is not None)


def ratios(measurements: Measurements, shape: str) -> list[Ratio]:
    """The goals of which both peers were measured under this shape."""
    found = []
    for goal in GOALS:
        pairs = _pairs(measurements.of(goal.subject, shape), measurements.of(goal.against, shape))
        if pairs and shape in goal.shapes:
            found.append(_ratio(goal, pairs))
    return found


def _pairs(subject: Sequence[Sample], against: Sequence[Sample]) -> list[tuple[Sample, Sample]]:
    others = {sample.round: sample for sample in against}
    return [(sample, others[sample.round]) for sample in subject if sample.round in others]


def _ratio(goal: Goal, pairs: Sequence[tuple[Sample, Sample]]) -> Ratio:
    """Each round gives a ratio of its own, so that what slowed the whole round cancels out."""

    def interval(figure: Callable[[Sample], float]) -> Interval:
        starts: dict[int, list[float]] = {}
        for subject, against in pairs:
            starts.setdefault(subject.start, []).append(figure(subject) / figure(against))
        return bootstrap(list(starts.values()))

    return Ratio(goal, interval(lambda sample: sample.requests_per_second), interval(lambda sample: sample.cpu_micros))
