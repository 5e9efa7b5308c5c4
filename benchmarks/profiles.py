#!/usr/bin/env python3
"""Shows where the CPU time of a request goes, in the core and in its workers, and writes it to profiles/."""

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timezone

from harness import machine, profile_report, quiet, report
from harness.command import exit_code
from harness.comparison import refuse
from harness.options import names_of, positive, tell
from harness.profiling import hot_paths, profile
from harness.workspace import BENCHMARKS, ROOT, Workspace, output_of

FOLDER = BENCHMARKS / "profiles"


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    paths = hot_paths()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", type=names_of(paths), metavar="PATHS", help=f"of {', '.join(paths)}; written to target/ alone"
    )
    parser.add_argument("--seconds", type=positive, default=10, help="of CPU time, and of samples (default: 10)")
    parser.add_argument("--warm-up", type=positive, default=15, metavar="SECONDS", help="of each path (default: 15)")
    parser.add_argument("--connections", type=positive, default=64, help="of the one client (default: 64)")
    parser.add_argument("--write-anyway", action="store_true", help="even if the machine was not quiet; it is said")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    output_of(ROOT / "scripts" / "setup", "bench", "profiles")  # installs wrk and perf where it can
    workspace = Workspace()
    folder = workspace.folder("profiles") / "pages" if options.only else FOLDER
    output = None if options.only else folder
    refuse(quiet.look(), output, options.write_anyway)
    started, clock = datetime.now(timezone.utc), time.monotonic()
    profiles = []
    for key, path in hot_paths().items():
        if not options.only or key in options.only:
            tell(path.title)
            profiles.append(profile(path, workspace, options.connections, options.warm_up, options.seconds))
            tell(profile_report.table(profiles[-1]))
    shares = [each.others_busy for each in profiles]
    complaint = quiet.complaint(shares)
    refuse(complaint, output, options.write_anyway)
    facts = [
        *report.circumstances(started, (time.monotonic() - clock) / 60),
        ("other programs during the load", f"at most {max(shares):.0%} of all cores"),
        ("client", f"{machine.wrk_version()}, 1 thread, {options.connections} connections, loopback"),
        (
            "load",
            f"{options.warm_up} s to warm up, {options.seconds} s for CPU time, {options.seconds} s with samplers",
        ),
    ]
    profile_report.write(folder, profiles, facts, complaint)
    tell(f"written: {folder.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(exit_code(run, parse(sys.argv[1:])))
