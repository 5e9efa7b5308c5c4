"""Reads forms, urlencoded (WHATWG URL) or multipart (RFC 7578), into fields and files."""

import string
from typing import NamedTuple

from handoff_worker.plain.headers import parameter
from handoff_worker.plain.parameters import Parameters

MOST_BOUNDARY_CHARACTERS = 70
MOST_URLENCODED_BYTES = 512 * 1024
"""The largest urlencoded form. Percent-decoding takes up to two hundred times its size in memory for a moment."""
_OF_BOUNDARY = frozenset(string.ascii_letters + string.digits + "'()+_,-./:=? ")


class File(NamedTuple):
    """A file that was sent with a form."""

    filename: str
    """As the client names it. It may be any text: never use it as a path."""
    content_type: str
    """As the client names it; `application/octet-stream` where it names none."""
    body: bytes


class Form(Parameters):
    """The fields of a form, as `Parameters`, and its files."""

    def __init__(self, pairs: list[tuple[str, str]], files: list[tuple[str, File]]) -> None:
        super().__init__(pairs)
        self._files = files

    @property
    def files(self) -> dict[str, File]:
        """The first file of each field name."""
        return {name: file for name, file in reversed(self._files)}

    def all_files(self, name: str) -> list[File]:
        """Every file of this field name, in the client's order."""
        return [file for each, file in self._files if each == name]


def read_form(content_type: str, body: bytes) -> Form:
    """
    The form in a body, read as its `Content-Type` says.

    Raises `ValueError` for another content type, and for a form that is malformed or exceeds a limit. Raises `ImportError` for a
    multipart form where the package `multipart` is missing.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        if len(body) > MOST_URLENCODED_BYTES:
            raise ValueError(f"it has {len(body)} bytes, and an urlencoded form has {MOST_URLENCODED_BYTES} at most")
        return Form(Parameters.parse(_text_of(body)).pairs(), [])
    if kind == "multipart/form-data":
        return _read_multipart(body, _boundary_of(content_type))
    raise ValueError(f"its content type is {kind[:80] or 'missing'}")


def _boundary_of(content_type: str) -> str:
    boundary = parameter(content_type, "boundary") or ""
    if not (0 < len(boundary) <= MOST_BOUNDARY_CHARACTERS and _OF_BOUNDARY.issuperset(boundary)) or boundary[-1] == " ":
        raise ValueError("it has no valid boundary (RFC 2046 section 5.1.1)")
    return boundary


def _read_multipart(body: bytes, boundary: str) -> Form:
    # Imported here, since few handlers read such forms.
    from handoff_worker.plain.multipart_parts import read_parts

    pairs: list[tuple[str, str]] = []
    files: list[tuple[str, File]] = []
    for part in read_parts(body, boundary):
        if part.filename is None:
            pairs.append((part.name, _text_of(part.content)))
        else:
            kind = part.content_type or "application/octet-stream"
            files.append((part.name, File(part.filename, kind, part.content)))
    return Form(pairs, files)


def _text_of(octets: bytes) -> str:
    try:
        return octets.decode()
    except UnicodeDecodeError:
        raise ValueError("a field is not UTF-8") from None
