"""Writes profiles down: a picture for each path, and a page with the table."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

from harness import report
from harness.flame_graph import Graph, picture
from harness.hot_parts import REST, Part
from harness.profiling import Profile, Seen

COLUMNS = 100
"""Of the lines of pages."""
LEAST = 0.02
"""Parts with less of a process are added to the rest."""
INTRODUCTION = """\
What the CPU time of a request goes to, on the paths that most requests take. `make bench-profiles`
writes this page and its pictures; [the page of the benchmarks](../README.md#profiles) says how."""


def write(folder: Path, profiles: Sequence[Profile], facts: Sequence[tuple[str, str]], complaint: str) -> None:
    folder.mkdir(exist_ok=True)
    for each in profiles:
        (folder / f"{each.path.key}.svg").write_text(drawing(each))
    (folder / "README.md").write_text(page(profiles, facts, complaint))


def drawing(profile: Profile) -> str:
    graphs = []
    for seen in profile.seen:
        graphs.append(Graph(seen.title, seen.stacks, seen.used.micros))
        inside = {stack: count for stack, count in seen.kernel.items() if stack}
        if inside:
            graphs.append(Graph(f"{seen.title}, in the kernel", inside, seen.used.kernel_micros))
    return picture(profile.path.title, graphs)


def page(profiles: Sequence[Profile], facts: Sequence[tuple[str, str]], complaint: str) -> str:
    parts = ["# Where the microseconds are", INTRODUCTION]
    if complaint:
        parts.append(textwrap.fill(f"**These figures are not steady: {complaint}.**", COLUMNS))
    parts.append(_overview(profiles))
    for each in profiles:
        parts += [f"## {each.path.title[0].upper()}{each.path.title[1:]}", table(each)]
        parts.append(f"![Flame graph: {each.path.title}]({each.path.key}.svg)")
    parts += ["## Circumstances", report.table(["", ""], facts)]
    return "\n\n".join(parts) + "\n"


def table(profile: Profile) -> str:
    rows = []
    for seen in profile.seen:
        rows += [[seen.title, *_cells(part, seen)] for part in merged(seen)]
        everything = Part("**all**", seen.used.user_micros, seen.used.kernel_micros)
        rows.append([seen.title, *_cells(everything, seen)])
    return report.table(["process", "part", "µs per request", "of it user", "of it kernel", "share"], rows)


def merged(seen: Seen) -> list[Part]:
    """The parts, the small ones as one."""
    small = [part for part in seen.parts if part.name == REST or part.micros < LEAST * seen.used.micros]
    large = [part for part in seen.parts if part not in small]
    rest = Part(REST, sum(part.user_micros for part in small), sum(part.kernel_micros for part in small))
    return [*large, rest] if small else large


def _overview(profiles: Sequence[Profile]) -> str:
    header = ["path", "process", "req/s", "CPU µs per request", "of it user", "of it kernel", "largest parts"]
    rows = []
    for each in profiles:
        for seen in each.seen:
            named = ", ".join(f"{part.name} {part.micros:.1f}" for part in merged(seen)[:3])
            used = seen.used
            figures = [f"{micros:.1f}" for micros in (used.micros, used.user_micros, used.kernel_micros)]
            title = f"[{each.path.title}]({each.path.key}.svg)"
            rows.append([title, seen.title, f"{each.requests_per_second:,.0f}", *figures, named])
    return report.table(header, rows)


def _cells(part: Part, seen: Seen) -> list[str]:
    figures = [f"{micros:.2f}" for micros in (part.micros, part.user_micros, part.kernel_micros)]
    return [part.name, *figures, f"{part.micros / seen.used.micros:.0%}" if seen.used.micros else ""]
