"""Writes down what a normal client felt among slow ones, as a section of RESULTS.md."""

import statistics
from collections.abc import Sequence

from load.tricklers import KINDS

from harness.report import table
from harness.slow_clients import AFTER, BEFORE, CONTROL, SLOW, Phase, SlowPlan

HEADING = "# Slow clients"
GOAL_PEER = "handoff-python"
GOAL_RISE_MILLIS = 10.0
NAMES = {
    BEFORE: "alone",
    SLOW: "with slow clients",
    AFTER: "alone again",
    CONTROL: "slow clients elsewhere",
}


def rise_millis(phases: Sequence[Phase], peer: str) -> float:
    """By how much the normal client's p99 is higher than the mean of what it was alone, before and after."""
    p99 = {phase.name: phase.figures.p99 / 1000 for phase in phases if phase.peer == peer}
    return p99[SLOW] - statistics.mean([p99[BEFORE], p99[AFTER]])


def tables(plan: SlowPlan, phases: Sequence[Phase]) -> str:
    titles = {peer.key: peer.title for peer in plan.peers}
    parts = ["## What a normal client feels", _felt(titles, phases), "## Rise of its p99", _rises(titles, phases)]
    parts += ["## What the slow clients got", _got(titles, phases)]
    return "\n\n".join(parts) + "\n"


def section(plan: SlowPlan, phases: Sequence[Phase], facts: Sequence[tuple[str, str]]) -> str:
    versions = [(peer.title, peer.versions) for peer in plan.peers]
    parts = [
        HEADING,
        "Written by `benchmarks/slow_clients.py`; [README.md](README.md#slow-clients) says how it measures and how to read this.",
        table(["", ""], facts),
        tables(plan, phases).rstrip("\n"),
        table(["server", "versions"], versions),
    ]
    return "\n\n".join(parts) + "\n"


def kinds() -> str:
    """Such as `75% in the head, ...`."""
    return ", ".join(f"{kind.percent}% {kind.name}" for kind in KINDS)


def _felt(titles: dict[str, str], phases: Sequence[Phase]) -> str:
    header = ["server", "", "p50 ms", "p90 ms", "p99 ms", "p99.9 ms", "most ms", "errors"]
    header += ["client late, p99 ms", "server busy", "memory MiB"]
    return table(header, [[titles[phase.peer], NAMES[phase.name], *_felt_in(phase)] for phase in phases])


def _felt_in(phase: Phase) -> list[str]:
    figures = phase.figures
    times = (figures.p50, figures.p90, figures.p99, figures.p999, figures.most)
    return [
        *[_millis(time) for time in times],
        f"{figures.errors:,} of {figures.answers + figures.errors:,}",
        _millis(figures.late_p99),
        f"{phase.server_busy:.0%}",
        f"{phase.memory_bytes / 2**20:,.0f}",
    ]


def _rises(titles: dict[str, str], phases: Sequence[Phase]) -> str:
    return table(["server", "ms", "goal", "reached"], [[titles[key], *_rise(phases, key)] for key in titles])


def _rise(phases: Sequence[Phase], peer: str) -> list[str]:
    rise = rise_millis(phases, peer)
    if peer != GOAL_PEER:
        return [f"{rise:.2f}", "", ""]
    return [f"{rise:.2f}", f"at most {GOAL_RISE_MILLIS:g}", "yes" if rise <= GOAL_RISE_MILLIS else "**no**"]


def _got(titles: dict[str, str], phases: Sequence[Phase]) -> str:
    header = ["server", "open at least", "answers", "ended", "came again", "could not", "bytes/s sent", "clients busy"]
    header += ["their longest pause ms"]
    rows = []
    for phase in phases:
        held = phase.crowding
        if held is None:
            continue
        answers = ", ".join(f"{status}: {count:,}" for status, count in sorted(held.answers.items())) or "none"
        name = titles[phase.peer] if phase.name == SLOW else "(a listener that understands nothing)"
        counts = [f"{count:,}" for count in (held.ended, held.opened, held.failed)]
        pause = f"{held.longest_turn_seconds * 1000:.0f}"
        sent = f"{held.sent_bytes / held.seconds:,.0f}"
        rows.append([name, f"{held.least_open:,}", answers, *counts, sent, f"{held.busy:.0%}", pause])
    return table(header, rows)


def _millis(micros: float) -> str:
    return f"{micros / 1000:.2f}"
