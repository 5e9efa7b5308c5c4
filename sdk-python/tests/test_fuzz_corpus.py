"""The fuzz targets with the inputs in `fuzz/corpus`: seeds, and all that once failed."""

from pathlib import Path

import pytest
from fuzz.checked import CORPUS, TARGETS, require_holds, require_linear, target

INPUTS = [
    pytest.param(name, file, id=f"{name}-{file.name}")
    for name, folder in TARGETS.items()
    for file in sorted((CORPUS / folder).iterdir())
]


@pytest.mark.parametrize(("name", "file"), INPUTS)
def test_holds(name: str, file: Path) -> None:
    require_holds(target(name), file.read_bytes())


@pytest.mark.parametrize(("name", "file"), INPUTS)
def test_makes_no_more_than_linear_work(name: str, file: Path) -> None:
    require_linear(target(name), file.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_each_target_has_inputs(name: str) -> None:
    assert any((CORPUS / TARGETS[name]).iterdir())
    assert target(name).__doc__
