from pathlib import Path

import pytest
from harness import results

PRESENT = "# Results\n\nfast\n\n## Hello\n\n    # not a heading\n\n# Slow clients\n\nslow\n"


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "RESULTS.md"
    path.write_text(PRESENT)
    return path


def test_begins_the_document(tmp_path: Path) -> None:
    results.put(tmp_path / "new.md", "# Results\n\nfirst\n")
    assert (tmp_path / "new.md").read_text() == "# Results\n\nfirst\n"


def test_replaces_its_own_section_alone(document: Path) -> None:
    results.put(document, "# Results\n\nfaster\n")
    assert document.read_text() == "# Results\n\nfaster\n\n# Slow clients\n\nslow\n"


def test_adds_a_new_section_behind_the_others(document: Path) -> None:
    results.put(document, "# Overload\n\nmuch\n")
    assert document.read_text() == f"{PRESENT}\n# Overload\n\nmuch\n"


def test_writing_the_same_again_changes_nothing(document: Path) -> None:
    results.put(document, "# Slow clients\n\nslow\n")
    assert document.read_text() == PRESENT


def test_plots_lie_beside_the_page(document: Path) -> None:
    for text in ("first", "second"):
        results.put_beside(document, "plots/one.svg", text)
    assert (document.parent / "plots" / "one.svg").read_text() == "second"
