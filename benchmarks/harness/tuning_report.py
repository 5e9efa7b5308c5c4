"""Writes what settings do as Markdown: one table, which DEPLOYING.md quotes, and what thousands of connections cost."""

import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path

from harness.capacity import Burst, Held, Ports
from harness.report import table
from harness.rounds import Measurements, Sample
from harness.tuning_topics import Topic

MARK = "<!-- Written by `make bench-tuning`. -->"
END = "<!-- Until here. -->"

Row = tuple[str, ...]


def settings(measured: Sequence[tuple[Topic, Measurements]]) -> str:
    """Medians over the rounds; ratios are formed within a round, against the first line of each topic."""
    head = ["what", "setting", "req/s", "of the first", "CPU µs per request", "p50 ms", "p99 ms", "memory MiB"]
    return table(head, [row for topic, measurements in measured for row in _rows(topic, measurements)])


def _rows(topic: Topic, measurements: Measurements) -> Iterable[Row]:
    first: list[Sample] = []
    for peer in topic.peers:
        for shape in topic.shapes:
            samples = measurements.of(peer.key, shape.key)
            title = topic.title if not first else ""
            first = first or samples
            speeds = [each.requests_per_second for each in samples]
            ratios = [
                each.requests_per_second / base.requests_per_second for each, base in zip(samples, first, strict=True)
            ]
            yield (
                title,
                peer.title if len(topic.shapes) == 1 else shape.title,
                f"{_median(speeds):,.0f}",
                f"{_median(ratios):.2f}",
                f"{_median(each.cpu_micros for each in samples):,.1f}",
                f"{_median(each.p50_micros for each in samples) / 1000:,.2f}",
                f"{_median(each.p99_micros for each in samples) / 1000:,.2f}",
                f"{_median(each.memory_bytes for each in samples) / 2**20:,.0f}",
            )


def _median(values: Iterable[float]) -> float:
    return statistics.median(list(values))


def capacity(held: Held, burst: Burst, ports: Sequence[Ports]) -> str:
    each = held.memory_bytes / held.connections
    idle = f"{held.connections:,} need {held.descriptors:,} descriptors and {each:,.0f} bytes each"
    waiting = (
        f"of {burst.connections:,}, {burst.at_once:,} wait in the backlog (`net.core.somaxconn` {burst.somaxconn:,})"
    )
    then = f"{burst.refused:,} are refused; {burst.in_the_end:,} are accepted within {burst.seconds:.1f} s of going on"
    rows = [
        ("idle connections", idle),
        ("connects at once, while nobody accepts", f"{waiting}, {then}"),
        *(
            (f"ports, {found.title}", f"{found.requests:,} requests left {found.waiting:,} in TIME_WAIT")
            for found in ports
        ),
    ]
    return table(["what", "measured"], rows)


def document(facts: Sequence[tuple[str, str]], tables: Sequence[str]) -> str:
    """TUNING.md."""
    return "\n".join(
        [
            "# Tuning",
            "",
            "Written by `make bench-tuning` (`benchmarks/tuning.py`).",
            "[DEPLOYING.md](../docs/DEPLOYING.md#sizing-and-tuning) draws the conclusions, and quotes the tables.",
            "One worker where nothing else is said, 64 connections kept alive, on loopback, client and servers",
            "on the same cores. Absolute figures hold for one machine on one day: quote the ratios.",
            "",
            table(["", ""], facts),
            "",
            *("\n\n".join(tables)).splitlines(),
            "",
        ]
    )


def quote(path: Path, tables: Sequence[str], mark: str = MARK) -> None:
    """Puts the tables between the two marks of a document."""
    before, begins, rest = path.read_text().partition(mark)
    _, ends, after = rest.partition(END)
    if not begins or not ends:
        raise ValueError(f"{path} has no place for the tables, between {mark} and {END}")
    path.write_text("\n\n".join([before + mark, *tables, END]) + after)
