"""Writes down what streams and large bodies cost, as a section of RESULTS.md."""

from collections.abc import Sequence

from load.listeners import Figures
from load.paced_client import Figures as Paced

from harness.report import table
from harness.streams import FEW_PAUSE_SECONDS, Few, Large, Memory, Moved, Open, StreamPlan

HEADING = "# Streams"


def tables(plan: StreamPlan, few: Sequence[Few], opened: Sequence[Open], large: Sequence[Large]) -> str:
    titles = {peer.key: peer.title for peer in plan.peers}
    parts = []
    if few:
        header = ["server", "open", "event delay p50, p99, most ms", "first event p50, p99 ms", "server busy"]
        parts += [
            f"## Few streams, {1 / FEW_PAUSE_SECONDS:g} events a second each",
            table(header, [[titles[each.peer], *_few(each)] for each in few]),
        ]
    if opened:
        header = ["server", "open", "ended", "events/s", "event delay p50, p99, most ms", "first event p50, p99 ms"]
        header += ["server busy", "KiB per stream", "small p50, p99 ms", "alone"]
        parts += [
            "## Open streams",
            table(header, [[titles[each.peer], *_open(each)] for each in opened if not each.slow]),
        ]
        header = ["server", "open", "ended", "server busy", "KiB per stream", "small p50, p99 ms", "alone"]
        parts += ["## Clients that take a byte a second of a large response"]
        parts += [table(header, [[titles[each.peer], *_slow(each)] for each in opened if each.slow])]
    if large:
        header = [
            "server",
            "",
            "first body MB/s",
            "CPU s",
            "later MB/s",
            "CPU s",
            "peak above idle MiB",
            "small p50, p99 ms beside",
        ]
        parts += [
            f"## {plan.large_bytes / 2**20:,.0f} MiB",
            table(header, [[titles[each.peer], *_large(each, plan.large_bytes)] for each in large]),
        ]
    return "\n\n".join(parts) + "\n"


def section(plan: StreamPlan, text: str, facts: Sequence[tuple[str, str]]) -> str:
    versions = [(peer.title, peer.versions) for peer in plan.peers]
    parts = [
        HEADING,
        "Written by `benchmarks/streams.py`; [README.md](README.md#streams) says how it measures and how to read this.",
        table(["", ""], facts),
        text.rstrip("\n"),
        table(["server", "versions"], versions),
    ]
    return "\n\n".join(parts) + "\n"


def _few(found: Few) -> list[str]:
    figures = found.figures
    delays = _millis(2, figures.p50, figures.p99, figures.most)
    return [f"{found.streams}", delays, _first(figures), f"{found.server_busy:.0%}"]


def _open(found: Open) -> list[str]:
    figures = found.figures
    delays = _millis(1, figures.p50, figures.p99, figures.most)
    events = f"{figures.events / figures.seconds:,.0f}"
    return [f"{found.opened:,}", f"{figures.ended:,}", events, delays, _first(figures), *_cost(found)]


def _first(figures: Figures) -> str:
    return _millis(1, figures.first_p50, figures.first_p99)


def _millis(digits: int, *micros: float) -> str:
    return ", ".join(f"{each / 1000:.{digits}f}" for each in micros)


def _slow(found: Open) -> list[str]:
    return [f"{found.opened:,}", f"{found.figures.ended:,}", *_cost(found)]


def _cost(found: Open) -> list[str]:
    return [f"{found.server_busy:.0%}", _each(found.grown, found.opened), _small(found.beside), _small(found.alone)]


def _large(found: Large, large_bytes: int) -> list[str]:
    moved = [*_moved(found.first, large_bytes), *_moved(found.later, large_bytes)]
    return ["up" if found.upward else "down", *moved, _both(found.grown, 1 << 20, 0), _small(found.beside)]


def _moved(moved: Moved, large_bytes: int) -> list[str]:
    return [f"{large_bytes / 1e6 / moved.seconds:,.0f}", f"{moved.cpu_seconds:.2f}"]


def _each(grown: Memory, streams: int) -> str:
    return _both(grown, 1024 * max(1, streams), 1)


def _both(grown: Memory, unit: int, digits: int) -> str:
    """Of the first process and of those that it started, where there are any."""
    return f"{grown.first / unit:,.{digits}f} + {grown.others / unit:,.{digits}f}"


def _small(figures: Paced) -> str:
    errors = f", {figures.errors} errors" if figures.errors else ""
    return f"{figures.p50 / 1000:.2f}, {figures.p99 / 1000:.2f}{errors}"
