"""The fixtures of `http-responses`: their bytes, and what Handoff makes of them. ../README.md says how they are written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from differential.fixtures import unescape

FOLDER = Path(__file__).parents[1] / "http-responses"

UNTIL_END = "until end"

LINE = re.compile(r"(response|begun) (\d{3})(?: .*)?")
CONTENT = re.compile(r"  \| ?(.*)")


@dataclass(frozen=True)
class Read:
    """What is taken for a response."""

    status: int
    content: bytes


@dataclass(frozen=True)
class Refused:
    """Nothing, or not all, is taken for a response."""

    why: str


@dataclass(frozen=True)
class ResponseFixture:
    name: str
    request: str
    """The first one: a client that asks once reads the first response."""
    data: bytes
    verdict: Read | Refused
    """Handoff's, of the first response, once the server has closed behind the bytes."""


def read(folder: Path = FOLDER) -> list[ResponseFixture]:
    """All fixtures of the folder, by file and in the order of the file."""
    return [fixture for file in sorted(folder.glob("*.md")) for fixture in _of_document(file)]


def _of_document(file: Path) -> Iterator[ResponseFixture]:
    for section in re.split(r"(?m)^## ", file.read_text(encoding="utf-8"))[1:]:
        blocks = dict(re.findall(r"(?ms)^```(http|outcome)\n(.*?)^```$", section))
        requests = re.search(r"(?m)^- requests: (\w+)", section)
        yield ResponseFixture(
            f"{file.name}: {section.splitlines()[0]}",
            requests[1] if requests else "GET",
            unescape(blocks["http"].replace("\n", "")),
            _verdict(blocks["outcome"].splitlines()),
        )


def _verdict(outcome: list[str]) -> Read | Refused:
    first = LINE.fullmatch(outcome[0])
    if not first:
        return Refused(outcome[-1].removeprefix("refused "))
    if first[1] == "begun" and outcome[-1] != UNTIL_END:
        return Refused(outcome[-1].removeprefix("refused "))
    content = ""
    for line in outcome[1:]:
        if not line.startswith("  "):
            break
        found = CONTENT.fullmatch(line)
        content += found[1] if found else ""
    return Read(int(first[2]), unescape(content))
