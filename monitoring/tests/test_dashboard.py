"""What Grafana expects of a dashboard that is imported, as far as no Grafana is needed to tell."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

DASHBOARD = json.loads((Path(__file__).parents[1] / "grafana-dashboard.json").read_text())
PANELS: list[dict[str, Any]] = DASHBOARD["panels"]
GRID_WIDTH = 24


def test_panels_can_be_told_apart() -> None:
    for key in ("id", "title"):
        assert len({panel[key] for panel in PANELS}) == len(PANELS), key


def test_panels_do_not_overlap() -> None:
    for one, other in combinations(PANELS, 2):
        assert not overlap(one["gridPos"], other["gridPos"]), (one["title"], other["title"])
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= GRID_WIDTH for panel in PANELS)


def test_everything_is_asked_of_the_data_source_that_was_chosen() -> None:
    chosen = {"type": "prometheus", "uid": "${datasource}"}
    asking = [*(panel for panel in PANELS if panel["type"] != "row"), *variables("query")]

    assert all(each["datasource"] == chosen for each in asking)
    assert all(target["datasource"] == chosen for panel in PANELS for target in panel.get("targets", []))
    assert [each["name"] for each in variables("datasource")] == ["datasource"]


def test_expressions_of_a_panel_have_letters_of_their_own() -> None:
    for panel in PANELS:
        letters = [target["refId"] for target in panel.get("targets", [])]
        assert len(set(letters)) == len(letters), panel["title"]


def variables(kind: str) -> list[dict[str, Any]]:
    return [each for each in DASHBOARD["templating"]["list"] if each["type"] == kind]


def overlap(one: dict[str, int], other: dict[str, int]) -> bool:
    return all(
        one[start] < other[start] + other[length] and other[start] < one[start] + one[length]
        for start, length in (("x", "w"), ("y", "h"))
    )
