import argparse
import os
from pathlib import Path

import pytest
from harness import quiet
from harness.command import exit_code
from harness.comparison import refuse
from harness.quiet import NotQuiet

PAGE = Path("RESULTS.md")


def test_one_disturbed_load_in_ten_is_tolerated() -> None:
    assert quiet.complaint([0.0] * 18 + [0.3, 0.4]) == ""


def test_more_disturbed_loads_are_told() -> None:
    complaint = quiet.complaint([0.05] * 17 + [0.06, 0.3, 0.4])
    assert "3 of 20 loads" in complaint
    assert "up to 40%" in complaint


def test_refuses_to_write_what_was_measured_beside_other_programs() -> None:
    with pytest.raises(NotQuiet, match="others took half"):
        refuse("others took half", PAGE, write_anyway=False)


@pytest.mark.parametrize(
    ("complaint", "output", "write_anyway"),
    [("", PAGE, False), ("others took half", None, False), ("half", PAGE, True)],
)
def test_lets_pass_what_is_quiet_or_written_nowhere_or_asked_for(
    complaint: str, output: Path | None, write_anyway: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    refuse(complaint, output, write_anyway)
    assert complaint in capsys.readouterr().err


def test_a_refusal_asks_to_try_again_later(capsys: pytest.CaptureFixture[str]) -> None:
    def run(options: argparse.Namespace) -> None:
        raise NotQuiet("others took half")

    assert exit_code(run, argparse.Namespace()) == os.EX_TEMPFAIL
    said = capsys.readouterr().err
    assert "others took half" in said
    assert "--write-anyway" in said
