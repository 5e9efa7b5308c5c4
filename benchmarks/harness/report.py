"""Writes the figures down as Markdown."""

import statistics
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from harness import machine
from harness.goals import Ratio, ratios
from harness.intervals import Interval
from harness.peers import Peer
from harness.rounds import Measurements, Plan, Sample, Spread
from harness.shapes import Shape


def tables(plan: Plan, measurements: Measurements) -> str:
    """For each shape the figures of all peers, and the ratios."""
    parts = []
    for shape in plan.shapes:
        parts.append(f"## {shape.title[0].upper()}{shape.title[1:]}")
        parts.append(_figures(plan.peers, shape, measurements))
        found = ratios(measurements, shape.key)
        if found:
            parts.append(_ratios(found, {peer.key: peer.title for peer in plan.peers}))
    return "\n\n".join(parts) + "\n"


def circumstances(started: datetime, minutes: float) -> list[tuple[str, str]]:
    """The first of the facts of every section."""
    return [
        ("date", f"{started:%Y-%m-%d %H:%M} UTC, {minutes:.0f} minutes"),
        ("commit", machine.commit()),
        *(("machine", line) for line in machine.description()),
    ]


def marked(text: str, *complaints: str) -> str:
    """With a word in front for each reason why the figures are not steady; an empty complaint is none."""
    return "\n\n".join([*(f"**These figures are not steady: {each}.**" for each in complaints if each), text])


def facts_of(plan: Plan, measurements: Measurements, started: datetime, minutes: float) -> list[tuple[str, str]]:
    """Where, when and how it was measured."""
    others = [sample.others_busy for sample in measurements.samples]
    rounds = f"{plan.rounds}; in each a new start, {plan.warm_up_seconds} s of each load to warm up, {plan.seconds} s for each figure"
    return [
        *circumstances(started, minutes),
        ("other programs during the load", f"{statistics.median(others):.0%} of all cores, at most {max(others):.0%}"),
        ("client", f"{machine.wrk_version()}, 1 thread, {plan.connections} connections, loopback"),
        ("rounds", rounds),
        ("figures", "median of the rounds (least to most)"),
    ]


def _figures(peers: Sequence[Peer], shape: Shape, measurements: Measurements) -> str:
    header = ["server", "req/s", "CPU µs per request", "p50 ms", "p99 ms", "memory MiB", "client busy"]
    return table(header, [[peer.title, *_row(shape, measurements.of(peer.key, shape.key))] for peer in peers])


def _row(shape: Shape, samples: Sequence[Sample]) -> list[str]:
    def of(figure: Callable[[Sample], float], form: str) -> str:
        return spread(Spread.over([figure(sample) for sample in samples]), form)

    busy = Spread.over([sample.client_busy for sample in samples])
    return [
        of(lambda sample: sample.requests_per_second, ",.0f"),
        of(lambda sample: sample.cpu_micros, ".1f"),
        # What wrk calls latency is not that of a request when a connection sends several at once.
        "" if shape.pipelined > 1 else of(lambda sample: sample.p50_micros / 1000, ".2f"),
        "" if shape.pipelined > 1 else of(lambda sample: sample.p99_micros / 1000, ".2f"),
        of(lambda sample: sample.memory_bytes / 2**20, ".0f"),
        f"{busy.median:.0%}",
    ]


def _ratios(found: Sequence[Ratio], titles: dict[str, str]) -> str:
    header = ["", "against", "ratio of req/s", "goal", "ratio of CPU per request", "goal", "reached"]
    return table(
        header,
        [
            [
                titles[ratio.goal.subject],
                titles[ratio.goal.against],
                _interval(ratio.throughput),
                _goal("at least", ratio.goal.throughput),
                _interval(ratio.cpu),
                _goal("at most", ratio.goal.cpu),
                ratio.verdict.value,
            ]
            for ratio in found
        ],
    )


def _goal(limit: str, value: float | None) -> str:
    return "" if value is None else f"{limit} {value:g}"


def spread(spread: Spread, form: str) -> str:
    median, least, most = (format(value, form) for value in (spread.median, spread.least, spread.most))
    return median if least == most else f"{median} ({least} to {most})"


def spread_over(values: Sequence[float], form: str) -> str:
    return spread(Spread.over(values), form)


def _interval(interval: Interval) -> str:
    return f"{interval.median:.2f} ({interval.low:.2f} to {interval.high:.2f})"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def section(title: str, introduction: str, tables: str, facts: Sequence[tuple[str, str]]) -> str:
    """Of RESULTS.md, for a command that measures one thing."""
    return f"# {title}\n\n{introduction}\n\n{tables}\n\n{table(['', ''], facts)}\n"
