"""The golden frames of conformance/frames; conformance/README.md tells their format."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "conformance" / "frames"


@dataclass(frozen=True)
class Fixture:
    name: str
    json_limit: int
    body_limit: int
    reaction: str
    data: bytes
    messages: list[dict[str, Any]]


def from_core() -> list[Fixture]:
    """Those that a worker reads."""
    return [fixture for file in sorted(FOLDER.glob("*.md")) for fixture in _fixtures(file)]


def _fixtures(file: Path) -> list[Fixture]:
    found = []
    for section in re.split(r"(?m)^## ", file.read_text(encoding="utf-8"))[1:]:
        properties = dict(re.findall(r"(?m)^- ([a-z ]+): (.+)$", section))
        blocks = dict(re.findall(r"(?ms)^```(hex|json)\n(.*?)^```$", section))
        if properties["from"] == "core":
            found.append(
                Fixture(
                    f"{file.stem}: {section.splitlines()[0]}",
                    int(properties.get("json limit", 1048576)),
                    int(properties.get("body limit", 33554432)),
                    properties["reaction"],
                    _bytes(blocks["hex"]),
                    json.loads(blocks.get("json", "[]")),
                )
            )
    return found


def _bytes(text: str) -> bytes:
    data = b""
    for token in re.sub(r"#.*", "", text).split():
        byte, _, times = token.partition("*")
        data += bytes.fromhex(byte) * int(times or 1)
    return data
