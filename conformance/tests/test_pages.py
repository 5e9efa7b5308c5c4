"""What holds for all pages: their links lead somewhere, the tests that they name are there, and their lines are short enough to read in an editor."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_http_document import ROOT, anchors, links

COLUMNS = 100

# Bytes as they are, figures as programs wrote them, and the history.
NOT_WRAPPED = (
    "conformance/frames/",
    "conformance/http/",
    "conformance/http-responses/",
    "benchmarks/RESULTS.md",
    "CHANGELOG.md",
)


def pages() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def prose(page: Path) -> Iterator[str]:
    """The lines but those of tables, code, headings and images, which cannot be wrapped."""
    fence = ""
    for line in page.read_text(encoding="utf-8").splitlines():
        mark = re.match(r" *(```+|~~~+)", line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        elif not line.startswith(("|", "#", "!", "<!--", "    ")):
            yield line


def can_be_wrapped(line: str) -> bool:
    """Whether there is a space to wrap at: one that is not in code, behind the sign of a list."""
    text = re.sub(r"`[^`]*`", lambda code: "x" * len(code[0]), line)
    return " " in re.sub(r"^ *([-*+]|\d+\.) (\[[ x]] )?", lambda sign: "x" * len(sign[0]), text)[:COLUMNS]


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    broken = []
    for link in links(page):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", [page for page in pages() if not name_of(page).startswith(NOT_WRAPPED)], ids=name_of)
def test_pages_wrap_at_100_columns(page: Path) -> None:
    too_long = [line for line in prose(page) if len(line) > COLUMNS and can_be_wrapped(line)]
    assert too_long == []


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_tests_that_links_name_are_there(page: Path) -> None:
    """Of `[`name`, `other`](Test.java), as THREATS.md has them."""
    found = re.findall(
        r"\[((?:`\w+`(?:, )?)+)\]\(([^)#]*/[^)#/]*[Tt]est[^)#/]*\.(?:java|py))\)", page.read_text(encoding="utf-8")
    )
    for names, file in found:
        text = (page.parent / file).read_text(encoding="utf-8")
        assert [name for name in re.findall(r"`(\w+)`", names) if not re.search(rf"\b{name}\b", text)] == []
