"""What docs/DEPLOYING.md refers to."""

import re
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "DEPLOYING.md"
LINKS = sorted(set(re.findall(r"\]\(([^)]+)\)", DOCUMENT.read_text())))


def anchors(document: Path) -> set[str]:
    """As the hosts of repositories make them of headings."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("link", LINKS)
def test_every_link_leads_somewhere(link: str) -> None:
    name, _, anchor = link.partition("#")
    target = (DOCUMENT.parent / name).resolve() if name else DOCUMENT

    assert target.exists()
    assert not anchor or anchor in anchors(target)


def test_every_file_that_operators_copy_is_told_of() -> None:
    deploy = DOCUMENT.parents[1] / "deploy"
    files = {path.name for path in deploy.iterdir() if path.is_file() and path.suffix != ".py"}

    assert {f"../deploy/{name}" for name in files} <= set(LINKS)
