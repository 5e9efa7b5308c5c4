"""Draws flame graphs as SVG without scripts: a frame tells its whole name and its time when the pointer rests on it."""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

from harness.stacks import KERNEL, Stacks, total

WIDTH = 1200
ROW = 16
HEAD = 40
LETTER = 6.2
"""Pixels of a letter of the font, about."""
LEAST = 0.005
"""Frames with less of a graph are left out."""
HUES = ("#f6a04d", "#f4b266", "#f0913a", "#f7c27f", "#eda652")
KERNEL_COLOUR = "#8fb8de"
STYLE = """\
<style>
.page { fill: #ffffff } text { fill: #1f2328; font: 11px sans-serif } .title { font-size: 14px; font-weight: bold } .f text { fill: #1f2328; pointer-events: none }
@media (prefers-color-scheme: dark) { .page { fill: #0d1117 } .title { fill: #f0f6fc } }
</style>"""


@dataclass(frozen=True)
class Graph:
    """One above the other in a picture."""

    title: str
    stacks: Stacks
    micros: float
    """That its whole width stands for."""


@dataclass
class Frame:
    count: int = 0
    children: dict[str, "Frame"] = field(default_factory=dict)

    def depth(self, least: float) -> int:
        return 1 + max((each.depth(least) for each in self.children.values() if each.count >= least), default=0)


def picture(title: str, graphs: Sequence[Graph]) -> str:
    parts: list[str] = []
    top = HEAD
    for graph in graphs:
        drawn, height = _graph(graph, top)
        parts += drawn
        top += height
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" width="{WIDTH}" height="{top}" role="img">'
    page = f'<rect class="page" width="{WIDTH}" height="{top}"/><text class="title" x="8" y="20">{escape(title)}</text>'
    return "\n".join([head, f"<title>{escape(title)}</title>", STYLE, page, *parts, "</svg>\n"])


def tree(stacks: Stacks) -> Frame:
    root = Frame()
    for stack, count in stacks.items():
        root.count += count
        at = root
        for name in stack:
            at = at.children.setdefault(name, Frame())
            at.count += count
    return root


def short(name: str) -> str:
    """Without packages and folders, which the frame's tooltip has."""
    plain, _, place = name.removesuffix(KERNEL).partition(" (")
    if place:
        return f"{plain} ({place.rpartition('/')[2]}"
    return plain if ":" in plain or name.endswith(KERNEL) else ".".join(plain.split(".")[-2:])


def _graph(graph: Graph, top: int) -> tuple[list[str], int]:
    root = tree(graph.stacks)
    least = max(1.0, total(graph.stacks) * LEAST)
    rows = root.depth(least) - 1
    heading = f"{graph.title}: {graph.micros:.1f} µs of CPU per request, {total(graph.stacks):,} samples"
    bottom = top + 24 + rows * ROW
    lines = [f'<text class="title" x="8" y="{top + 14}">{escape(heading)}</text><g class="f">']
    lines += _frames(root, 0.0, bottom - ROW, graph.micros / max(1, root.count), WIDTH / max(1, root.count), least)
    return [*lines, "</g>"], 24 + rows * ROW + 16


def _frames(parent: Frame, left: float, y: int, micros: float, pixels: float, least: float) -> Iterator[str]:
    for name, frame in sorted(parent.children.items()):
        width = frame.count * pixels
        if frame.count >= least:
            yield _drawn(name, left, y, width, frame.count * micros)
            yield from _frames(frame, left, y - ROW, micros, pixels, least)
        left += width


def _drawn(name: str, left: float, y: int, width: float, micros: float) -> str:
    share = f"{micros:.2f} µs"
    colour = KERNEL_COLOUR if name.endswith(KERNEL) else HUES[zlib.crc32(name.encode()) % len(HUES)]
    box = f'<rect x="{left:.1f}" y="{y}" width="{max(0.1, width - 0.4):.1f}" height="{ROW - 1}" fill="{colour}"/>'
    letters = int((width - 6) / LETTER)
    text = short(name)
    shown = text if len(text) <= letters else text[: letters - 1] + "…"
    label = f'<text x="{left + 3:.1f}" y="{y + 11}">{escape(shown)}</text>' if letters >= 3 else ""
    return f"<g><title>{escape(name)}, {share}</title>{box}{label}</g>"
