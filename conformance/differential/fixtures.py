"""The bytes of the HTTP fixtures; ../README.md says how they are written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "http"

ESCAPES = {"r": b"\r", "n": b"\n", "t": b"\t", "0": b"\0", "\\": b"\\"}
ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|\(((?:[^\\)]|\\.)*)\*(\d+)\)|(.))", re.DOTALL)


@dataclass(frozen=True)
class Fixture:
    name: str
    data: bytes


def read(folder: Path = FOLDER) -> list[Fixture]:
    """All fixtures of the folder, by file and in the order of the file."""
    return [fixture for file in sorted(folder.glob("*.md")) for fixture in _of_document(file)]


def _of_document(file: Path) -> Iterator[Fixture]:
    for section in re.split(r"(?m)^## ", file.read_text(encoding="utf-8"))[1:]:
        block = re.search(r"(?ms)^```http\n(.*?)^```$", section)
        if block:
            yield Fixture(f"{file.name}: {section.splitlines()[0]}", unescape(block[1].replace("\n", "")))


def unescape(text: str) -> bytes:
    data = b""
    end = 0
    for escape in ESCAPE.finditer(text):
        data += text[end : escape.start()].encode("latin-1") + _meaning(escape)
        end = escape.end()
    return data + text[end:].encode("latin-1")


def _meaning(escape: re.Match[str]) -> bytes:
    byte, repeated, times, letter = escape.groups()
    if byte is not None:
        return bytes.fromhex(byte)
    if repeated is not None:
        return unescape(repeated) * int(times)
    return ESCAPES[letter]


def escape(data: bytes) -> str:
    """The bytes on one line, in the escapes of the fixtures."""
    named = {value[0]: f"\\{letter}" for letter, value in ESCAPES.items()}
    return "".join(named.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}") for byte in data)
