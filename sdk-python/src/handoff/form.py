"""Forms: fields and files, urlencoded or multipart (RFC 7578)."""

import re
from typing import NamedTuple

from handoff.headers import parameter
from handoff.parameters import Parameters

MOST_PARTS = 1000
MOST_PART_HEAD_BYTES = 8 * 1024

_disposition = re.compile(rb"(?i)content-disposition[ \t]*:[ \t]*form-data[ \t]*;(.*)").fullmatch
_type = re.compile(rb"(?i)content-type[ \t]*:[ \t]*(.*?)[ \t]*").fullmatch
_boundary = re.compile(r"[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]").fullmatch


class File(NamedTuple):
    """A file that was sent with a form."""

    filename: str
    """As the client names it. It may be anything: never use it as a path."""
    content_type: str
    body: bytes


class Form(Parameters):
    """The fields of a form as `Parameters`; its files beside them."""

    def __init__(self, pairs: list[tuple[str, str]], files: list[tuple[str, File]]) -> None:
        super().__init__(pairs)
        self._files = files

    @property
    def files(self) -> dict[str, File]:
        """The first file of each name."""
        return {name: file for name, file in reversed(self._files)}

    def all_files(self, name: str) -> list[File]:
        """Every file of this name, in order."""
        return [file for each, file in self._files if each == name]


def read_form(content_type: str, body: bytes) -> Form:
    """Raises `ValueError` that says what is wrong with the form, or that it is none."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        return Form(Parameters.parse(body.decode()).pairs(), [])
    if kind == "multipart/form-data":
        boundary = parameter(content_type, "boundary") or ""
        if not _boundary(boundary):
            raise ValueError("it has no valid boundary (RFC 2046 section 5.1.1)")
        return _read_parts(body, boundary.encode())
    raise ValueError(f"its content type is {kind[:80] or 'missing'}")


def _read_parts(body: bytes, boundary: bytes) -> Form:
    """
    Strict: parts are delimited by CRLF, the boundary and CRLF, and the last is followed by the closing one (RFC 2046 section 5.1.1).

    A preamble is dropped, as is what follows the end; nobody sends either.
    """
    pairs: list[tuple[str, str]] = []
    files: list[tuple[str, File]] = []
    delimiter = b"\r\n--" + boundary
    # The first delimiter may stand at the very beginning, without the line break that belongs to the others.
    position = 0 if body.startswith(delimiter[2:]) else body.find(delimiter) + 2
    if position == 1:
        raise ValueError("its boundary never comes")
    position += len(delimiter) - 2
    while body[position : position + 2] != b"--":
        if body[position : position + 2] != b"\r\n":
            raise ValueError("a boundary is followed by something else than a line break")
        if len(pairs) + len(files) >= MOST_PARTS:
            raise ValueError(f"it has more than {MOST_PARTS} parts")
        end = body.find(delimiter, position)
        if end < 0:
            raise ValueError("its last boundary is missing")
        _add_part(body[position + 2 : end], pairs, files)
        position = end + len(delimiter)
    return Form(pairs, files)


def _add_part(part: bytes, pairs: list[tuple[str, str]], files: list[tuple[str, File]]) -> None:
    head_end = part.find(b"\r\n\r\n", 0, MOST_PART_HEAD_BYTES)
    if head_end < 0:
        raise ValueError("the headers of a part do not end, or are longer than 8 KiB")
    content = part[head_end + 4 :]
    disposition, content_type = None, ""
    for line in part[:head_end].split(b"\r\n"):
        if match := _disposition(line):
            disposition = ";" + _text_of(match[1])
        elif match := _type(line):
            content_type = match[1].decode("latin-1")
    name = None if disposition is None else _disposition_parameter(disposition, "name")
    if disposition is None or name is None:
        raise ValueError("a part has no name (RFC 7578 section 4.2)")
    filename = _disposition_parameter(disposition, "filename")
    if filename is None:
        pairs.append((name, _text_of(content)))
    else:
        files.append((name, File(filename, content_type or "application/octet-stream", content)))


def _disposition_parameter(disposition: str, name: str) -> str | None:
    """Browsers write a quote inside a name as `%22` (WHATWG HTML, multipart/form-data), and backslashes as they are."""
    match = re.search(rf'(?i);[ \t]*{name}="([^"]*)"', disposition) or re.search(
        rf"(?i);[ \t]*{name}=([^;\"\s]+)", disposition
    )
    if match is None:
        return None
    return match[1].replace("%22", '"').replace("%0D", "\r").replace("%0A", "\n")


def _text_of(octets: bytes) -> str:
    try:
        return octets.decode()
    except UnicodeDecodeError:
        raise ValueError("a field is not UTF-8") from None
