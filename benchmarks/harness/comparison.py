"""The command that measures servers side by side: its options, its rounds and where its results go."""

import argparse
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from harness import report, results
from harness.command import exit_code
from harness.options import add_plan, names_of, tell
from harness.peers import Peer, prepare
from harness.rounds import Measurements, Plan, measure
from harness.shapes import DEFAULT_SHAPES, SHAPES
from harness.workspace import BENCHMARKS, ROOT, Workspace, output_of


@dataclass(frozen=True)
class Comparison:
    description: str
    peers: Mapping[str, Callable[[Workspace], Peer]]
    ours: Collection[str]
    """Without these nothing is measured, unless others were asked for by name."""
    rounds: int
    seconds: int
    warm_up: int
    section: Callable[[Plan, Measurements, Sequence[tuple[str, str]]], str]
    """What RESULTS.md says of it."""

    def main(self, arguments: Sequence[str]) -> int:
        return exit_code(self._run, self._parse(arguments))

    def _parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        parser = argparse.ArgumentParser(description=self.description)
        add_plan(parser, rounds=self.rounds, seconds=self.seconds, warm_up=self.warm_up)
        parser.add_argument(
            "--shapes", type=names_of(SHAPES), default=list(DEFAULT_SHAPES), help=f"of {', '.join(SHAPES)}"
        )
        parser.add_argument("--only", type=names_of(self.peers), metavar="SERVERS", help=f"of {', '.join(self.peers)}")
        parser.add_argument(
            "--output",
            type=Path,
            help="the file for the results (default: benchmarks/RESULTS.md, or none if servers or shapes are left out)",
        )
        return parser.parse_args(arguments)

    def _run(self, options: argparse.Namespace) -> None:
        output_of(ROOT / "scripts" / "setup", "bench")  # installs wrk where it can
        workspace = Workspace()
        peers = prepare(self.peers, options.only, self.ours, workspace)
        shapes = [SHAPES[key] for key in options.shapes]
        plan = Plan(peers, shapes, options.rounds, options.seconds, options.warm_up, options.connections)

        started = datetime.now(timezone.utc)
        clock = time.monotonic()
        measurements = measure(plan, workspace.folder("logs"), tell)
        minutes = (time.monotonic() - clock) / 60

        print(report.tables(plan, measurements))
        whole = options.only is None and set(DEFAULT_SHAPES) <= set(options.shapes)
        output = options.output or (BENCHMARKS / "RESULTS.md" if whole else None)
        if output:
            facts = report.facts_of(plan, measurements, started, minutes)
            results.put(output, self.section(plan, measurements, facts))
            tell(f"written: {output}")
