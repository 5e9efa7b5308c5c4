"""Writes what workers and adapters cost as Markdown: for LANGUAGES.md in short, for RESULTS.md with all spreads."""

from collections.abc import Callable, Sequence

from harness import report
from harness.language_peers import ADAPTERS, SOURCES, WORKERS
from harness.peers import Peer
from harness.report import table
from harness.rounds import Measurements, Plan, Sample, Spread

MARK = "<!-- Written by `make bench-languages`. -->"
SHAPE = "hello"


def tables(peers: Sequence[Peer], measurements: Measurements) -> list[str]:
    """Workers against that in Python; adapters against the server of their language, which follows each."""
    workers = [peer for peer in peers if peer.key in WORKERS]
    first = measurements.of("python", SHAPE) or measurements.of(workers[0].key, SHAPE) if workers else []
    rows = [[each.title, _lines(each), *_figures(measurements.of(each.key, SHAPE), first)] for each in workers]
    rows.sort(key=lambda row: float(row[4].replace(",", "")))
    head = ["req/s", "of Python's", "CPU µs per request", "p99 ms", "memory MiB"]
    adapters = [peer for peer in peers if peer.key in ADAPTERS]
    compared = []
    for each, own in zip(adapters[::2], adapters[1::2], strict=False):
        base = measurements.of(own.key, SHAPE)
        compared += [[peer.title, *_figures(measurements.of(peer.key, SHAPE), base)] for peer in (each, own)]
    return [
        table(["language", "lines", *head], rows),
        table(["server", "req/s", "of its own server's", *head[2:]], compared),
    ]


def _lines(peer: Peer) -> str:
    return str(len(SOURCES[peer.key].read_text().splitlines()))


def _figures(samples: Sequence[Sample], first: Sequence[Sample]) -> list[str]:
    def median(figure: Callable[[Sample], float], form: str) -> str:
        return format(Spread.over([figure(sample) for sample in samples]).median, form)

    pairs = zip(samples, first, strict=True)
    ratios = [each.requests_per_second / base.requests_per_second for each, base in pairs]
    return [
        median(lambda sample: sample.requests_per_second, ",.0f"),
        format(Spread.over(ratios).median, ".2f"),
        median(lambda sample: sample.cpu_micros, ",.1f"),
        median(lambda sample: sample.p99_micros / 1000, ".2f"),
        median(lambda sample: sample.memory_bytes / 2**20, ",.0f"),
    ]


def section(plan: Plan, measurements: Measurements, facts: Sequence[tuple[str, str]]) -> str:
    """The section of RESULTS.md."""
    return "\n".join(
        [
            "# Languages",
            "",
            "Written by `make bench-languages`: a whole worker in each language behind one core, and adapters beside the",
            "servers of their languages. [LANGUAGES.md](../docs/LANGUAGES.md) has them in short.",
            "",
            table(["", ""], facts),
            "",
            report.tables(plan, measurements),
        ]
    )
