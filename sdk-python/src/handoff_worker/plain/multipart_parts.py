"""Reads the parts of a multipart form with the package `multipart`, which the extra `forms` installs."""

import string
from collections.abc import Iterator
from typing import Any, NamedTuple

from handoff_worker.plain.headers import split_parameters

REQUIREMENT = "multipart>=2.0.1,<3"
MOST_PARTS = 1000
MOST_PART_HEADERS = 8
MOST_PART_HEADER_BYTES = 4096
"""The largest header of a part, with its name."""
MOST_HEADER_BYTES = 512 * 1024
"""The characters of the headers of all parts. The package takes 0.2 s for that much, and others wait meanwhile."""

_OF_NAME = frozenset(string.ascii_letters + string.digits + "-_*")
_OF_TOKEN = frozenset(string.ascii_letters + string.digits + "!#$%&'*+-.^_`|~")


class Part(NamedTuple):
    """A field or a file of a multipart form."""

    name: str
    filename: str | None
    """None for a field."""
    content_type: str
    """Empty where the part names none."""
    content: bytes


def read_parts(body: bytes, boundary: str) -> Iterator[Part]:
    """
    The parts of a form, in the client's order (RFC 7578). Charsets and other parameters of a part's content are ignored.

    Raises `ValueError` for a malformed form and for one beyond the limits, and `ImportError` where the package is missing.
    """
    try:
        from multipart import (  # type: ignore[import-not-found, import-untyped, attr-defined, unused-ignore]
            MultipartError,
            MultipartSegment,
            PushMultipartParser,
        )
    except ImportError:
        raise ImportError(
            f"a multipart form was sent, and the package that reads it is not installed: pip install '{REQUIREMENT}' "
            "(handoff-worker names it as its extra `forms`)",
            name="multipart",
        ) from None

    parser = PushMultipartParser(
        boundary,
        max_header_size=MOST_PART_HEADER_BYTES,
        max_header_count=MOST_PART_HEADERS,
        max_segment_count=MOST_PARTS,
        strict=True,
    )
    segment: Any = None
    content: list[bytes] = []
    header_bytes = 0
    try:
        # In one piece: the strict parser takes the line end behind the last boundary only together with that boundary.
        for event in parser.parse(body):
            if isinstance(event, MultipartSegment):
                segment = event
                header_bytes += sum(len(name) + len(value) for name, value in segment.headerlist)
                if header_bytes > MOST_HEADER_BYTES:
                    raise ValueError(f"its parts have more than {MOST_HEADER_BYTES} characters of headers")
                _require_one_reading(segment.headerlist)
            elif event is not None:
                content.append(event)
            else:
                kind = segment.header("Content-Type", "").strip()
                yield Part(segment.name, segment.filename, kind, b"".join(content))
                content = []
        parser.close()
    except MultipartError as problem:
        # Only the first argument: the others quote what the client sent.
        raise ValueError(str(problem.args[0])) from None


def _require_one_reading(headers: list[tuple[str, str]]) -> None:
    """Raises `ValueError` for a part that another reader of the form may read differently than the package does."""
    if len({name for name, _ in headers}) < len(headers):
        raise ValueError("a part has a header twice")
    for name, value in headers:
        if name == "Content-Disposition" and not _as_browsers_write(value):
            _require_plain(value.rstrip("; "))


def _as_browsers_write(disposition: str) -> bool:
    """Whether browsers write it like this. They escape no backslash (WHATWG HTML, "multipart/form-data encoding algorithm")."""
    pieces = disposition.split('"')
    return pieces[0] == "form-data; name=" and (
        pieces[2:] == [""] or (pieces[2:3], pieces[4:]) == (["; filename="], [""])
    )


def _require_plain(disposition: str) -> None:
    # The package overlooks parameters behind a tab.
    if "\t" in disposition:
        raise ValueError("a part has a tab in its Content-Disposition")
    names: set[str] = set()
    for parameter in split_parameters(disposition)[1:]:
        name, _, value = parameter.partition("=")
        name, value = name.rstrip().lower(), value.lstrip()
        if not (name and _OF_NAME.issuperset(name) and _is_whole(value)):
            raise ValueError("a part has a Content-Disposition that cannot be read")
        if name in names:
            raise ValueError("a part has two names, or two of another parameter")
        names.add(name)
    # Some clients send both names. The one with the asterisk is ignored (RFC 7578 section 4.2).
    if "filename" in names:
        names.discard("filename*")
    if any("*" in name for name in names):
        raise ValueError("a part has a parameter such as name*, which no form has (RFC 7578 section 4.2)")


def _is_whole(value: str) -> bool:
    """Whether a value is exactly one token or one quoted string."""
    if len(value) < 2 or not value[0] == value[-1] == '"':
        return value != "" and _OF_TOKEN.issuperset(value)
    without_escapes = value[1:-1].replace("\\\\", "").replace('\\"', "")
    return '"' not in without_escapes and not without_escapes.endswith("\\")
