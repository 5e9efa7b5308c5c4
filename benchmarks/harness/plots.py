"""Draws plots as SVG, readable on a light and on a dark page: a plot brings its own background, which follows the reader's choice."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from harness.goals import Verdict
from harness.intervals import Interval

WIDTH = 760
LABELS = 290
"""The column of names beside intervals."""
VALUES = 170
"""The column of numbers behind them."""
ROW = 36
TOP = 64
MARGIN = 60
PLOT_HEIGHT = 300
LEGEND_ROW = 20
COLOURS = ("#2f81f7", "#d4752a", "#2da44e", "#a371f7", "#e5534b", "#8b949e")
VERDICT_COLOURS = {Verdict.REACHED: "#2da44e", Verdict.MISSED: "#e5534b", Verdict.UNDECIDED: "#8b949e"}
STYLE = """\
<style>
.page { fill: #ffffff } text { fill: #1f2328; font: 12px sans-serif } .title { font-size: 15px; font-weight: bold }
.pale { fill: #59636e } .grid { stroke: #d1d9e0 } .limit { stroke: #1f2328; stroke-width: 2 } .hollow { fill: #ffffff }
@media (prefers-color-scheme: dark) {
.page, .hollow { fill: #0d1117 } text { fill: #f0f6fc } .pale { fill: #9198a1 } .grid { stroke: #3d444d } .limit { stroke: #f0f6fc }
}
</style>"""


@dataclass(frozen=True)
class Curve:
    title: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False
    colour: int = 0
    """Curves of the same number have the same."""


@dataclass(frozen=True)
class Row:
    """A ratio and the most that it may be."""

    title: str
    against: str
    interval: Interval
    limit: float
    verdict: Verdict


@dataclass(frozen=True)
class Scale:
    """From values to pixels."""

    low: float
    high: float
    begin: float
    end: float
    logarithmic: bool = True

    def __call__(self, value: float) -> float:
        low, high, at = (math.log(each) if self.logarithmic else each for each in (self.low, self.high, value))
        return round(self.begin + (self.end - self.begin) * (at - low) / (high - low), 1)


def curves(title: str, x_title: str, y_title: str, drawn: Sequence[Curve]) -> str:
    """Values above zero on a logarithmic scale, over others from zero on a linear one."""
    xs = [x for curve in drawn for x, _ in curve.points]
    ys = [y for curve in drawn for _, y in curve.points]
    bottom = TOP + PLOT_HEIGHT
    steps = round_steps(max(xs))
    x_scale = Scale(0, max(xs) * 1.02, MARGIN, WIDTH - 20, logarithmic=False)
    marks = around(min(ys), max(ys))
    y_scale = Scale(marks[0], marks[-1], bottom, TOP)
    parts = []
    for mark in marks:
        parts += [
            _line(MARGIN, y_scale(mark), WIDTH - 20, y_scale(mark)),
            _text(MARGIN - 8, y_scale(mark) + 4, f"{mark:g}", "end"),
        ]
    parts += [_text(x_scale(step), bottom + 18, f"{step:,.0f}", "middle") for step in steps]
    parts += [_text(MARGIN, TOP - 10, y_title, kind="pale"), _text(WIDTH - 20, bottom + 36, x_title, "end", "pale")]
    for number, curve in enumerate(drawn):
        parts += _curve(curve, x_scale, y_scale)
        parts += _legend(curve, bottom + 50 + number * LEGEND_ROW)
    return _picture(title, bottom + 50 + len(drawn) * LEGEND_ROW + 10, parts)


def intervals(title: str, rows: Sequence[Row]) -> str:
    """Each ratio with its interval and its limit, on a logarithmic scale."""
    values = [value for row in rows for value in (row.interval.low, row.interval.high, row.limit)]
    marks = around(min(values), max(values))
    scale = Scale(marks[0], marks[-1], LABELS, WIDTH - VALUES)
    bottom = TOP + ROW * len(rows)
    parts = []
    for mark in marks:
        parts += [_line(scale(mark), TOP, scale(mark), bottom), _text(scale(mark), bottom + 18, f"{mark:g}", "middle")]
    for number, row in enumerate(rows):
        parts += _row(row, TOP + ROW * number + ROW / 2, scale)
    parts.append(
        _text(
            20,
            bottom + 36,
            "dot: median; bar: its interval; upright line: the goal, which is to be left of it",
            kind="pale",
        )
    )
    return _picture(title, bottom + 50, parts)


def around(low: float, high: float) -> list[float]:
    """Of 1, 2, 5, 10 and so on those from the last at most `low` to the first at least `high`."""
    exponents = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    marks = [float(f"{digit}e{exponent}") for exponent in exponents for digit in (1, 2, 5)]
    first = max(index for index, mark in enumerate(marks) if mark <= low)
    last = min(index for index, mark in enumerate(marks) if mark >= high)
    return marks[first : max(last, first + 1) + 1]


def round_steps(high: float) -> list[float]:
    """Round numbers from zero to at most `high`, five to ten of them."""
    unit = 10 ** math.floor(math.log10(high))
    step = next(unit * part for part in (0.1, 0.2, 0.5, 1.0) if high / (unit * part) <= 10)
    return [step * number for number in range(math.floor(high / step) + 1)]


def _curve(curve: Curve, x_scale: Scale, y_scale: Scale) -> Iterator[str]:
    colour = COLOURS[curve.colour % len(COLOURS)]
    points = [(x_scale(x), y_scale(y)) for x, y in curve.points]
    path = " ".join(f"{x},{y}" for x, y in points)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{_dashes(curve)}/>'
    yield from (f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}"/>' for x, y in points)


def _legend(curve: Curve, y: float) -> Iterator[str]:
    colour = COLOURS[curve.colour % len(COLOURS)]
    yield f'<path d="M{MARGIN} {y}h36" stroke="{colour}" stroke-width="2"{_dashes(curve)}/>'
    yield _text(MARGIN + 46, y + 4, curve.title)


def _dashes(curve: Curve) -> str:
    return ' stroke-dasharray="5 4"' if curve.dashed else ""


def _row(row: Row, y: float, scale: Scale) -> Iterator[str]:
    colour = VERDICT_COLOURS[row.verdict]
    low, median, high = (scale(value) for value in (row.interval.low, row.interval.median, row.interval.high))
    # Colours alone do not tell everybody: what is reached is full.
    fill = f'fill="{colour}"' if row.verdict is Verdict.REACHED else 'class="hollow"'
    yield _text(20, y - 2, row.title)
    yield _text(20, y + 13, row.against, kind="pale")
    yield f'<path d="M{low} {y}H{high}" stroke="{colour}" stroke-width="4"/>'
    yield f'<circle cx="{median}" cy="{y}" r="5" {fill} stroke="{colour}" stroke-width="2"/>'
    yield f'<path class="limit" d="M{scale(row.limit)} {y - 12}v24"/>'
    numbers = f"{row.interval.median:.2f} ({row.interval.low:.2f} to {row.interval.high:.2f})"
    yield _text(WIDTH - 20, y - 2, numbers, "end")
    yield _text(WIDTH - 20, y + 13, f"at most {row.limit:g}: {row.verdict.value.strip('*')}", "end", "pale")


def _line(x: float, y: float, to_x: float, to_y: float) -> str:
    return f'<path class="grid" d="M{x} {y}L{to_x} {to_y}"/>'


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> str:
    name = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{name}>{escape(text)}</text>'


def _picture(title: str, height: float, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}" role="img">'
    page = f'<rect class="page" width="{WIDTH}" height="{height:g}"/>'
    return "\n".join(
        [head, f"<title>{escape(title)}</title>", STYLE, page, _text(20, 28, title, kind="title"), *parts, "</svg>\n"]
    )
