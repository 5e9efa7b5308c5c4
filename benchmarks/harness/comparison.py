"""The command that measures servers side by side: its options, its groups and where its results go."""

import argparse
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from harness import fixed_rates, quiet, results, steady, steady_report
from harness.command import exit_code
from harness.options import add_plan, names_of, positive, tell
from harness.peers import Peer, prepare
from harness.quiet import NotQuiet
from harness.rounds import Plan
from harness.shapes import DEFAULT_SHAPES, SHAPES
from harness.steady import ENOUGH_STARTS, Group, Patience
from harness.steady_report import Page, Run
from harness.workspace import BENCHMARKS, ROOT, Workspace, output_of

Builders = Mapping[str, Callable[[Workspace], Peer]]


@dataclass(frozen=True)
class Comparison:
    description: str
    groups: Mapping[str, Builders]
    """By title; only what stands in one group is compared."""
    ours: Collection[str]
    """Without these nothing is measured, unless others were asked for by name."""
    page: Page
    minutes: int
    """At most, for each group."""

    @property
    def peers(self) -> Builders:
        return {key: builder for group in self.groups.values() for key, builder in group.items()}

    def main(self, arguments: Sequence[str]) -> int:
        return exit_code(self._run, self.parse(arguments))

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        parser = argparse.ArgumentParser(description=self.description)
        add_plan(parser, rounds=3, seconds=1, warm_up=8, each="start")
        parser.add_argument(
            "--starts",
            type=positive,
            default=ENOUGH_STARTS,
            help=f"of every server at least (default: {ENOUGH_STARTS})",
        )
        help_minutes = f"that a group takes at most, after its least starts (default: {self.minutes})"
        parser.add_argument("--minutes", type=float, default=self.minutes, help=help_minutes)
        help_width = "half the width of an interval that is narrow enough, in percent (default: 3)"
        parser.add_argument("--width", type=float, default=3.0, metavar="PERCENT", help=help_width)
        parser.add_argument(
            "--shapes", type=names_of(SHAPES), default=list(DEFAULT_SHAPES), help=f"of {', '.join(SHAPES)}"
        )
        parser.add_argument("--only", type=names_of(self.peers), metavar="SERVERS", help=f"of {', '.join(self.peers)}")
        parser.add_argument(
            "--output",
            type=Path,
            help="the file for the results (default: benchmarks/RESULTS.md, or none if servers or shapes are left out)",
        )
        help_anyway = "the results even if the machine was not quiet; they say so"
        parser.add_argument("--write-anyway", action="store_true", help=help_anyway)
        return parser.parse_args(arguments)

    def _run(self, options: argparse.Namespace) -> None:
        output_of(ROOT / "scripts" / "setup", "bench")  # installs wrk where it can
        workspace = Workspace()
        groups = self.grouped(options, prepare(self.peers, options.only, self.ours, workspace))
        output = self.output(options)
        refuse(quiet.look(), output, options.write_anyway)

        started = datetime.now(timezone.utc)
        clock = time.monotonic()
        patience = Patience(options.starts, options.minutes, options.width / 100)
        at_rates = fixed_rates.client(workspace) if fixed_rates.SHAPE in options.shapes else None
        for group in groups:
            steady.measure(group, patience, at_rates, workspace.folder("logs"), tell)
        run = Run(groups, started, (time.monotonic() - clock) / 60)

        print(steady_report.tables(run))
        refuse(run.complaint, output, options.write_anyway)
        if output:
            results.put(output, steady_report.section(self.page, run))
            for picture in steady_report.pictures(self.page, run):
                results.put_beside(output, f"{steady_report.FOLDER}/{picture.name}", picture.svg)
            tell(f"written: {output}")

    def grouped(self, options: argparse.Namespace, peers: Sequence[Peer]) -> list[Group]:
        shapes = [SHAPES[key] for key in options.shapes]
        groups = []
        for title, builders in self.groups.items():
            members = [peer for peer in peers if peer.key in builders]
            if members:
                plan = Plan(members, shapes, options.rounds, options.seconds, options.warm_up, options.connections)
                groups.append(Group(title, plan))
        return groups

    def output(self, options: argparse.Namespace) -> Path | None:
        whole = options.only is None and set(DEFAULT_SHAPES) <= set(options.shapes)
        output: Path | None = options.output
        return output or (BENCHMARKS / "RESULTS.md" if whole else None)


def refuse(complaint: str, output: Path | None, write_anyway: bool) -> None:
    """Ends a run that would write what its own complaint says is worth nothing."""
    if not complaint:
        return
    if output and not write_anyway:
        raise NotQuiet(complaint)
    tell(f"the machine is not quiet: {complaint}")
