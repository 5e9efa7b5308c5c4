"""docs/HTTP.md promises nothing that isn't there: its links lead somewhere, its tables are those of the code."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from math import prod
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "HTTP.md"
FIXTURES = ROOT / "conformance" / "http"
CORE = ROOT / "core" / "src" / "main" / "java" / "dev" / "handoff"
DISPATCH = ROOT / "handlers-process" / "src" / "main" / "java" / "dev" / "handoff" / "process" / "dispatch"
LAUNCHER = ROOT / "launcher" / "src" / "main" / "java" / "dev" / "handoff" / "launcher"

LEVELS = {"MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY"}
DEEDS = {"done", "refused", "handler's", "left out", "not met"}

Row = list[str]


def lines_outside_code(document: Path) -> Iterator[str]:
    fence = ""
    for line in document.read_text(encoding="utf-8").splitlines():
        mark = re.match(r" {0,3}(```+|~~~+)", line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        else:
            yield line


@cache
def anchors(document: Path) -> set[str]:
    """What a link may have behind its "#", as GitHub makes it of headings."""
    found: dict[str, int] = {}
    names = set()
    for line in lines_outside_code(document):
        if heading := re.match(r"#{1,6} +(.*?)(?: +#+)? *$", line):
            text = re.sub(r"!?\[([^]]*)]\([^)]*\)", r"\1", heading[1])
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            again = found.get(slug, 0)
            found[slug] = again + 1
            names.add(f"{slug}-{again}" if again else slug)
    return names


def links(document: Path) -> list[str]:
    text = "\n".join(lines_outside_code(document))
    return re.findall(r"(?<!!)\[[^]]+]\(([^)\s]+)\)", text)


def local_links() -> list[str]:
    return [link for link in links(DOCUMENT) if "://" not in link]


def tables() -> dict[tuple[str, ...], list[list[Row]]]:
    """The rows of all tables, by the words of their heads."""
    found: dict[tuple[str, ...], list[list[Row]]] = {}
    head: Row | None = None
    for line in lines_outside_code(DOCUMENT):
        if not line.startswith("|"):
            head = None
            continue
        cells = [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if head is None:
            head = cells
            found.setdefault(tuple(head), []).append([])
        elif not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            found[tuple(head)][-1].append(cells)
    return found


def the_table(*head: str) -> list[Row]:
    (table,) = tables()[head]
    return table


def requirements() -> list[list[Row]]:
    return tables()["section", "level", "requirement", "what we do", "how, or why", "shown by"]


def code(cell: str) -> str:
    (name,) = re.findall(r"`([^`]+)`", cell)
    return str(name)


def java(source: Path) -> str:
    return source.read_text(encoding="utf-8")


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    broken = []
    for link in local_links():
        path, _, anchor = link.partition("#")
        target = (DOCUMENT.parent / path).resolve() if path else DOCUMENT
        if not target.exists() or not target.is_relative_to(ROOT) or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_every_fixture_file_is_linked() -> None:
    linked = {(DOCUMENT.parent / link.partition("#")[0]).resolve() for link in local_links() if "#" in link}
    assert {file.name for file in FIXTURES.glob("*.md")} - {file.name for file in linked} == set()


def test_refusals_are_those_of_the_server() -> None:
    source = java(CORE / "http" / "Refusal.java")
    constants = re.findall(r"^ {4}([A-Z][A-Z0-9_]*)\(\s*(\d{3}),\s*\"([^\"]*)\"\)[,;]", source, re.MULTILINE)
    assert len(constants) == len(re.findall(r"^ {4}[A-Z][A-Z0-9_]*\(", source, re.MULTILINE))
    rows = the_table("`Handoff-Error`", "status", "what the client is told")
    assert [(code(name), status, message) for name, status, message in rows] == [
        (name.lower(), status, message) for name, status, message in constants
    ]


def test_failures_are_those_of_the_server_and_the_pools() -> None:
    failures = rejections()
    for source in (CORE / "server" / "Failure.java", DISPATCH / "PoolFailures.java"):
        text = java(source)
        made = re.findall(r'new Failure\(\s*(\d{3}),\s*"(\w+)",\s*"([^"]*)",\s*(\d+)\)', text)
        failures |= {(name, status, message, "" if wait == "0" else wait) for status, name, message, wait in made}
        assert len(re.findall(r"static final Failure ", text)) == len(made)
    rows = the_table("`Handoff-Error`", "status", "what the client is told", "`Retry-After`")
    assert sorted((code(name), *rest) for name, *rest in rows) == sorted(failures)


def rejections() -> set[tuple[str, str, str, str]]:
    """What a pool tells the client of a request that got no worker."""
    text = java(DISPATCH / "Rejection.java")
    constants = re.findall(r'^ {4}([A-Z_]+)\("([^"]*)"\)[,;]', text, re.MULTILINE)
    assert len(constants) == len(re.findall(r"^ {4}[A-Z_]+\(", text, re.MULTILINE)) > 0
    (status,) = re.findall(r"new Failure\((\d{3}), code, message, RETRY_AFTER_SECONDS\)", text)
    (seconds,) = re.findall(r"RETRY_AFTER_SECONDS = (\d+);", text)
    return {(name.lower(), status, message, seconds) for name, message in constants}


def usual_limits() -> dict[str, str]:
    """The defaults in the Java sources, by their names there, as the document writes them."""
    parser = java(CORE / "http" / "ParserLimits.java")
    (names,) = re.findall(r"record ParserLimits\(([^)]*)\)", parser)
    (values,) = re.findall(r"new ParserLimits\(([^)]*)\)", parser)
    limits = {}
    for name, value in zip(names.split(","), values.split(","), strict=True):
        limits[name.split()[-1]] = size(prod(map(int, value.split("*")))) if "Bytes" in name else value.strip()
    server = java(CORE / "server" / "ServerLimits.java")
    for name, value in re.findall(r"private (?:int|long|Duration) (\w+) = ([^;]+);", server):
        time = re.fullmatch(r"Duration\.of(Seconds|Minutes)\((\d+)\)", value)
        quarter = value == "Runtime.getRuntime().maxMemory() / 4"
        if re.fullmatch(r"[\d *]+", value):
            value = size(prod(map(int, value.split("*")))) if name.endswith("Bytes") else value
        text = f"{time[2]} {'s' if time[1] == 'Seconds' else 'min'}" if time else value.replace("_", "")
        limits[name] = "a quarter of the heap" if quarter else text
    return limits


def size(count: int) -> str:
    for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count % factor == 0:
            return f"{count // factor} {unit}"
    return str(count)


def test_limits_have_the_defaults_of_the_server() -> None:
    documented = {code(name): default for _, name, default, _ in the_table("option", "name", "default", "beyond it")}
    usual = usual_limits()
    assert documented.keys() == usual.keys()
    for name, default in usual.items():
        assert re.match(re.escape(default) + r"(?![\w.])", documented[name]), name


def test_options_are_those_of_the_command_line() -> None:
    known = {flag for source in LAUNCHER.rglob("*.java") for flag in re.findall(r'"(--[a-z-]+)"', java(source))}
    named = set(re.findall(r"`(--[a-z-]+)`", DOCUMENT.read_text(encoding="utf-8")))
    assert named - known == set()


@pytest.mark.parametrize("table", [0, 1], ids=["9112", "9110"])
def test_requirements_are_well_formed_and_in_order(table: int) -> None:
    rows = requirements()[table]
    for row in rows:
        section, level, requirement, deed, _, _ = row
        assert re.fullmatch(r"\d+(\.\d+)*", section), row
        assert level in LEVELS, row
        assert requirement, row
        assert deed in DEEDS, row
    sections = [[int(number) for number in row[0].split(".")] for row in rows]
    assert all(before <= after for before, after in pairwise(sections))


def test_what_the_server_does_with_messages_is_shown() -> None:
    syntax, semantics = requirements()
    done = [row for row in syntax if row[3] in {"done", "refused", "not met"}]
    refused = [row for row in semantics if row[3] in {"refused", "not met"}]
    assert [row for row in done + refused if "](../" not in row[5]] == []


def test_what_is_not_met_is_explained() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    (explained,) = re.findall(r"(?ms)^## Where a MUST is not met\n(.*?)^## ", text)
    sections = {row[0] for table in requirements() for row in table if row[3] == "not met"}
    assert {section for section in sections if not re.search(rf"\b{re.escape(section)}\b", explained)} == set()
