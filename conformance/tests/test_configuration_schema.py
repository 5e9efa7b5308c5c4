"""The published schema takes and refuses the same configuration files as the server, whose tests read them as well."""

import json
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/handoff.schema.json").read_text())
EXAMPLES = ROOT / "launcher/src/test/configurations"


def test_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("valid/*.json")), ids=lambda file: file.stem)
def test_takes_the_valid_examples(file: Path) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(file.read_text()))


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("invalid/*.json")), ids=lambda file: file.stem)
def test_refuses_the_invalid_examples(file: Path) -> None:
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(json.loads(file.read_text()))
