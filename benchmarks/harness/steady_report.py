"""Writes down what was measured in turns: the sections of RESULTS.md about servers and about frameworks, and their plots."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from load.paced_client import Figures

from harness import fixed_rates, machine, plots, quiet, report
from harness.fixed_rates import SHARES, AtRate
from harness.goals import ratios
from harness.intervals import SURE
from harness.peers import Peer
from harness.plots import Curve, Row
from harness.report import circumstances, table
from harness.rounds import Measurements, Plan, Spread
from harness.steady import RATE_SECONDS, RATE_STARTS, Group

FOLDER = "plots"
"""Beside the page."""
RATIOS = f"median over the rounds ({SURE:.0%} bootstrap interval, over starts and the rounds within each)"


@dataclass(frozen=True)
class Page:
    """What a command's section says beside its figures."""

    heading: str
    name: str
    """That the files of its plots begin with."""
    introduction: Sequence[str]
    response_heads: bool
    """Whether it shows what each server answers."""


@dataclass(frozen=True)
class Picture:
    name: str
    """Of its file."""
    title: str
    svg: str


@dataclass(frozen=True)
class Run:
    groups: Sequence[Group]
    started: datetime
    minutes: float

    @property
    def plan(self) -> Plan:
        """That of all groups together."""
        return replace(self.groups[0].plan, peers=[peer for group in self.groups for peer in group.plan.peers])

    @property
    def measurements(self) -> Measurements:
        """Those of all groups together; a server that is in two of them would be mixed up."""
        samples = [sample for group in self.groups for sample in group.measurements.samples]
        heads = {peer: head for group in self.groups for peer, head in group.measurements.response_heads.items()}
        return Measurements(samples, heads)

    @property
    def others_busy(self) -> list[float]:
        closed = [sample.others_busy for group in self.groups for sample in group.measurements.samples]
        return closed + [found.others_busy for group in self.groups for found in group.at_rates]

    @property
    def complaint(self) -> str:
        return quiet.complaint(self.others_busy)


def tables(run: Run) -> str:
    """For the terminal too."""
    parts = [report.tables(run.plan, run.measurements).rstrip("\n")]
    if any(group.at_rates for group in run.groups):
        parts += ["## Latency at fixed rates", at_rates(run.groups)]
    return "\n\n".join(parts)


def at_rates(groups: Sequence[Group]) -> str:
    header = ["server", "of its peak", "req/s", "p50 ms", "p99 ms", "p99.9 ms", "errors", "client late, p99 ms"]
    rows = []
    for group in groups:
        for peer in group.plan.peers:
            for share in SHARES:
                found = fixed_rates.of(group.at_rates, peer.key, share)
                if found:
                    rows.append([peer.title, f"{share:.0%}", *_waits(found)])
    return table(header, rows)


def _waits(found: Sequence[AtRate]) -> list[str]:
    def millis(figure: Callable[[Figures], float]) -> str:
        return report.spread(Spread.over([figure(each.figures) / 1000 for each in found]), ".2f")

    answers, errors = sum(each.figures.answers for each in found), sum(each.figures.errors for each in found)
    return [
        f"{statistics.median(each.rate for each in found):,.0f}",
        millis(lambda figures: figures.p50),
        millis(lambda figures: figures.p99),
        millis(lambda figures: figures.p999),
        f"{errors:,} of {answers:,}",
        millis(lambda figures: figures.late_p99),
    ]


def pictures(page: Page, run: Run) -> list[Picture]:
    """In the order in which the page shows them."""
    found = []
    titles = {peer.key: peer.title for peer in run.plan.peers}
    for shape in run.plan.shapes:
        rows = [
            Row(
                titles[ratio.goal.subject], f"to {titles[ratio.goal.against]}", ratio.cpu, ratio.goal.cpu, ratio.verdict
            )
            for ratio in ratios(run.measurements, shape.key)
            if ratio.goal.cpu is not None
        ]
        if rows:
            title = f"CPU per request, ratios: {shape.title}"
            name = f"{page.name}-ratios-{shape.key}.svg"
            found.append(Picture(name, title, plots.intervals(title, rows)))
    for group in run.groups:
        if group.at_rates:
            title = f"{group.title}: latency at fixed rates"
            name = f"{page.name}-latency-{group.title.lower().replace(' ', '-')}.svg"
            found.append(Picture(name, title, _latency(title, group)))
    return found


def _latency(title: str, group: Group) -> str:
    curves = []
    for number, peer in enumerate(group.plan.peers):
        for word, figure, dashed in (("p99", "p99", False), ("p50", "p50", True)):
            points = []
            for share in SHARES:
                found = fixed_rates.of(group.at_rates, peer.key, share)
                rate = statistics.median(each.rate for each in found)
                points.append((rate, statistics.median(getattr(each.figures, figure) for each in found) / 1000))
            curves.append(Curve(f"{peer.title}, {word}", points, dashed, number))
    return plots.curves(title, "requests per second", "ms", curves)


def section(page: Page, run: Run) -> str:
    plan = run.plan
    parts = ["\n".join([f"# {page.heading}", "", *page.introduction])]
    if run.complaint:
        parts.append(f"**These figures are not steady: {run.complaint}.**")
    parts.append(table(["", ""], facts_of(run)))
    parts += [f"![{picture.title}]({FOLDER}/{picture.name})" for picture in pictures(page, run)]
    parts.append(tables(run))
    parts.append("## What was compared")
    parts.append(table(["server", "versions"], [(peer.title, peer.versions) for peer in plan.peers]))
    if page.response_heads:
        parts.append("All answer with the same six bytes, but not with the same header fields:")
        parts += [_response_head(peer, run.measurements) for peer in plan.peers]
    return "\n\n".join(parts) + "\n"


def facts_of(run: Run) -> list[tuple[str, str]]:
    """Where, when and how it was measured."""
    plan = run.plan
    others = run.others_busy
    return [
        *circumstances(run.started, run.minutes),
        ("other programs during the loads", f"{statistics.median(others):.0%} of all cores, at most {max(others):.0%}"),
        ("client", f"{machine.wrk_version()}, 1 thread, {plan.connections} connections, loopback"),
        ("each start", f"{plan.warm_up_seconds} s of each load to warm up, then {plan.rounds} rounds of turns"),
        ("each turn", f"{plan.seconds} s of one load for one server, while all others are frozen"),
        ("each fixed rate", f"{RATE_SECONDS:g} s, once in each of the first {RATE_STARTS} starts"),
        *((group.title, group.ended) for group in run.groups),
        ("figures", "median of the turns (least to most)"),
        ("ratios", RATIOS),
    ]


def _response_head(peer: Peer, measurements: Measurements) -> str:
    lines = measurements.response_heads[peer.key].splitlines()
    return "\n".join([f"{peer.title}:", "", *[f"    {line}" for line in lines]])
