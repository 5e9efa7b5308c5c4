"""Writes down what streams and large bodies cost, as a section of RESULTS.md."""

from collections.abc import Sequence

from load.paced_client import Figures as Paced

from harness.report import table
from harness.streams import Large, Memory, Open, StreamPlan

HEADING = "# Streams"


def tables(plan: StreamPlan, opened: Sequence[Open], large: Sequence[Large]) -> str:
    titles = {peer.key: peer.title for peer in plan.peers}
    parts = []
    if opened:
        header = ["server", "open", "ended", "events/s", "event delay p50, p99, most ms", "server busy"]
        header += ["KiB per stream", "small p50, p99 ms", "alone"]
        parts += [
            "## Open streams",
            table(header, [[titles[each.peer], *_open(each)] for each in opened if not each.slow]),
        ]
        header = ["server", "open", "ended", "server busy", "KiB per stream", "small p50, p99 ms", "alone"]
        parts += ["## Clients that take a byte a second of a large response"]
        parts += [table(header, [[titles[each.peer], *_slow(each)] for each in opened if each.slow])]
    if large:
        header = ["server", "", "MB/s", "CPU s", "peak above idle MiB", "small p50, p99 ms beside"]
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


def _open(found: Open) -> list[str]:
    figures = found.figures
    delays = ", ".join(f"{delay / 1000:.1f}" for delay in (figures.p50, figures.p99, figures.most))
    events = f"{figures.events / figures.seconds:,.0f}"
    return [f"{found.opened:,}", f"{figures.ended:,}", events, delays, *_cost(found)]


def _slow(found: Open) -> list[str]:
    return [f"{found.opened:,}", f"{found.figures.ended:,}", *_cost(found)]


def _cost(found: Open) -> list[str]:
    return [f"{found.server_busy:.0%}", _each(found.grown, found.opened), _small(found.beside), _small(found.alone)]


def _large(found: Large, large_bytes: int) -> list[str]:
    speed = f"{large_bytes / 1e6 / found.seconds:,.0f}"
    grown = _both(found.grown, 1 << 20, 0)
    return ["up" if found.upward else "down", speed, f"{found.cpu_seconds:.2f}", grown, _small(found.beside)]


def _each(grown: Memory, streams: int) -> str:
    return _both(grown, 1024 * max(1, streams), 1)


def _both(grown: Memory, unit: int, digits: int) -> str:
    """Of the first process and of those that it started, where there are any."""
    return f"{grown.first / unit:,.{digits}f} + {grown.others / unit:,.{digits}f}"


def _small(figures: Paced) -> str:
    errors = f", {figures.errors} errors" if figures.errors else ""
    return f"{figures.p50 / 1000:.2f}, {figures.p99 / 1000:.2f}{errors}"
