"""What docs/DEPLOYING.md says of the chart's values: each is in the table, and the examples are accepted."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from rendering.chart import CHART, ROOT, rendered

SECTION = (ROOT / "docs" / "DEPLOYING.md").read_text().partition("## In Kubernetes")[2].partition("\n## ")[0]
EXAMPLES = re.findall(r"```yaml\n# values.yaml\n(.*?)```", SECTION, re.DOTALL)
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
OF_THE_USER = ("workers", "pools", "settings")
"""Whose keys are names of the user's, or those of handoff.json."""


def rows() -> Iterator[tuple[list[str], list[str]]]:
    """The values of each row of the table, and their defaults."""
    table = SECTION.partition("### Values")[2].partition("| value | default | |\n")[2].partition("\n\n")[0]
    for line in table.splitlines()[1:]:
        _, names, defaults, *_ = line.split("|")
        yield re.findall(r"`([^`]+)`", names), re.findall(r"`([^`]+)`", defaults)


def leaves() -> Iterator[tuple[str, Any]]:
    """The values by name; resources, probes and the like are one each."""
    for name, value in VALUES.items():
        if isinstance(value, dict) and value and name not in OF_THE_USER:
            yield from ((f"{name}.{key}", each) for key, each in value.items())
        else:
            yield name, value


def test_the_table_has_every_value_once_and_no_other() -> None:
    named = [name for names, _ in rows() for name in names]

    assert sorted(named) == sorted(name for name, _ in leaves())


def test_the_table_names_the_defaults() -> None:
    """Those that are a text, a number or a truth; where some values of a row have one, those are in order."""
    known = dict(leaves())
    for names, defaults in rows():
        said = [str(yaml.safe_load(each)) for each in defaults]
        plain = [
            str(known[name])
            for name in names
            if known[name] not in ("", None) and not isinstance(known[name], dict | list)
        ]
        assert said == plain, names


@pytest.mark.usefixtures("helm_built")
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_accepted(tmp_path: Path, example: str) -> None:
    """With a worker, where it is about something else."""
    values = yaml.safe_load(example)
    if not values.keys() & {"workers", "core"}:
        values["workers"] = {"app": {"image": "app:1"}}

    done = rendered(tmp_path, values)

    assert done.returncode == 0, done.stderr


def test_there_are_examples_of_what_operators_ask_for() -> None:
    named = {key for example in EXAMPLES for key in yaml.safe_load(example)}

    assert {"workers", "pools", "ingress", "httpRoute", "podMonitor", "autoscaling", "adminToken"} <= named
