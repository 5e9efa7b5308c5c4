"""docs/THREATS.md promises nothing that no test shows: its links lead to tests, and to the very one that it names."""

import re
from pathlib import Path

from test_http_document import ROOT, anchors, lines_outside_code, links

PAGE = ROOT / "docs" / "THREATS.md"
SECURITY = ROOT / "SECURITY.md"
SUPPLY_CHAIN = ROOT / "docs" / "SUPPLY-CHAIN.md"

Link = tuple[str, str]


def promises() -> dict[str, list[Link]]:
    """What each promise names, as the text and the target of its links."""
    found: dict[str, list[Link]] = {}
    inside = False
    for line in lines_outside_code(PAGE):
        if not line.startswith("|"):
            inside = False
        elif line == "| promised | shown by |":
            inside = True
        elif inside and not line.startswith("|---"):
            promise, shown = re.split(r"(?<!\\)\|", line)[1:-1]
            found[promise.strip()] = re.findall(r"\[([^]]+)]\(([^)\s]+)\)", shown)
    return found


def target_of(link: str, page: Path = PAGE) -> Path:
    path = link.partition("#")[0]
    return (page.parent / path).resolve() if path else page


def is_test(path: Path) -> bool:
    return bool({"test", "tests", "conformance"} & set(path.relative_to(ROOT).parts))


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    broken = []
    for page in (PAGE, SECURITY, SUPPLY_CHAIN):
        for link in links(page):
            if "://" in link:
                continue
            target, anchor = target_of(link, page), link.partition("#")[2]
            if not target.exists() or not target.is_relative_to(ROOT) or (anchor and anchor not in anchors(target)):
                broken.append(f"{page.name}: {link}")
    assert broken == []


def test_every_promise_names_a_test() -> None:
    assert len(promises()) > 20
    unshown = [
        promise for promise, shown in promises().items() if not any(is_test(target_of(link)) for _, link in shown)
    ]
    assert unshown == []


def test_every_test_that_is_named_is_there() -> None:
    missing = []
    for shown in promises().values():
        for text, link in shown:
            target = target_of(link)
            if (named := re.fullmatch(r"`(\w+)`", text)) and named[1] != target.stem:
                is_there = re.search(rf"^\s*(?:public )?(?:void|def) {named[1]}\(", target.read_text(), re.MULTILINE)
                missing += [] if is_there else [f"{target.name}: {named[1]}"]
    assert missing == []


def test_every_boundary_says_what_is_promised_and_what_is_not() -> None:
    boundaries = PAGE.read_text().partition("\n## Boundaries\n")[2].partition("\n## ")[0].split("\n### ")[1:]
    assert len(boundaries) == 6
    for boundary in boundaries:
        assert "| promised | shown by |" in boundary
        assert "\nNot promised: " in boundary


def test_every_advice_says_where_it_is_documented() -> None:
    advice = re.findall(r"^\d+\. (.*(?:\n +.*)*)$", PAGE.read_text().partition("\n## Hardening\n")[2], re.MULTILINE)
    assert len(advice) >= 15
    assert [each for each in advice if not re.search(r"]\([^)]+\)", each)] == []


def test_every_option_of_the_advice_exists() -> None:
    settings = (ROOT / "docs" / "CONFIGURATION.md").read_text()
    named = set(re.findall(r"`(--[a-z-]+)", PAGE.read_text()))
    assert named
    assert [option for option in sorted(named) if not re.search(rf"`{option}\b(?!-)", settings)] == []


def test_security_page_leads_here() -> None:
    assert {"docs/THREATS.md", "docs/THREATS.md#hardening", "docs/SUPPLY-CHAIN.md"} <= set(links(SECURITY))
