from xml.etree import ElementTree

import pytest
from harness import plots
from harness.goals import Verdict
from harness.intervals import Interval
from harness.plots import Curve, Row, Scale

SVG = "{http://www.w3.org/2000/svg}"


def elements(picture: str, name: str, kind: str | None = None) -> list[ElementTree.Element]:
    """Fails where the picture is no well-formed XML."""
    found = ElementTree.fromstring(picture).iter(SVG + name)
    return [element for element in found if kind is None or element.get("class") == kind]


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in elements(picture, "text")]


def test_a_curve_has_all_its_points_and_a_name() -> None:
    picture = plots.curves("Latency", "req/s", "ms", [Curve("<ours> & theirs", [(100, 0.5), (200, 40.0), (900, 1.0)])])
    assert len(elements(picture, "circle")) == 3
    assert "<ours> & theirs" in texts(picture)
    assert {"0.5", "50", "0", "900"} <= set(texts(picture))


def test_points_lie_where_their_values_are() -> None:
    picture = plots.curves("Latency", "req/s", "ms", [Curve("ours", [(100, 0.5), (200, 40.0)], dashed=True)])
    low, high = elements(picture, "circle")
    assert float(low.get("cx", "")) < float(high.get("cx", ""))
    assert float(low.get("cy", "")) > float(high.get("cy", ""))
    assert elements(picture, "polyline")[0].get("stroke-dasharray")


def test_an_interval_stands_beside_its_limit() -> None:
    kept = Row("Ours", "theirs", Interval(0.4, 0.3, 0.45), 0.5, Verdict.REACHED)
    broken = Row("Ours", "others", Interval(0.9, 0.8, 1.4), 0.7, Verdict.MISSED)
    picture = plots.intervals("Ratios", [kept, broken])
    dots, limits = elements(picture, "circle"), elements(picture, "path", "limit")
    at = [float(limit.get("d", "").lstrip("M").split()[0]) for limit in limits]
    assert float(dots[0].get("cx", "")) < at[0]
    assert float(dots[1].get("cx", "")) > at[1]
    assert [dot.get("class") for dot in dots] == [None, "hollow"]
    assert {"0.40 (0.30 to 0.45)", "at most 0.7: no"} <= set(texts(picture))


@pytest.mark.parametrize(
    "picture",
    [
        plots.curves("a", "x", "y", [Curve("b", [(1, 1)])]),
        plots.intervals("a", [Row("a", "b", Interval(1, 1, 1), 1, Verdict.REACHED)]),
    ],
)
def test_brings_a_background_for_light_and_for_dark(picture: str) -> None:
    assert elements(picture, "rect", "page")
    style = elements(picture, "style")[0].text or ""
    assert ".page { fill: #ffffff }" in style
    assert ".page, .hollow { fill: #0d1117 }" in style.partition("prefers-color-scheme: dark")[2]


@pytest.mark.parametrize(
    ("low", "high", "marks"),
    [
        (0.3, 1.2, [0.2, 0.5, 1, 2]),
        (1, 1, [1, 2]),
        (0.02, 0.05, [0.02, 0.05]),
        (7, 900, [5, 10, 20, 50, 100, 200, 500, 1000]),
    ],
)
def test_marks_reach_around_all_values(low: float, high: float, marks: list[float]) -> None:
    assert plots.around(low, high) == marks


@pytest.mark.parametrize(("high", "last"), [(950, 900), (1000, 1000), (78_000, 70_000), (23, 20)])
def test_steps_are_round(high: float, last: float) -> None:
    steps = plots.round_steps(high)
    assert steps[0] == 0
    assert steps[-1] == pytest.approx(last)
    assert 5 <= len(steps) <= 11


def test_a_logarithmic_scale_gives_equal_factors_equal_lengths() -> None:
    scale = Scale(1, 100, 0, 50)
    assert [scale(value) for value in (1, 10, 100)] == [0, 25, 50]
