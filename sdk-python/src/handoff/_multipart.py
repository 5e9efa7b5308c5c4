"""The parts of a multipart form, by the package `multipart`, which the extra `forms` brings."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

REQUIREMENT = "multipart>=2.0.1,<3"
MOST_PARTS = 1000
MOST_PART_HEADERS = 8
MOST_PART_HEADER_BYTES = 4096
"""Of one header of a part, its name included."""


class Part(NamedTuple):
    name: str
    filename: str | None
    content_type: str
    """Empty where the part has none."""
    content: bytes


def read_parts(body: bytes, boundary: str) -> Iterator[Part]:
    """
    Raises `ValueError` that says what is wrong with the form, and `ImportError` where the package is missing.

    What else a part may say of its content, such as a charset, is not looked at.
    """
    try:
        from multipart import (  # type: ignore[import-not-found, import-untyped, attr-defined, unused-ignore]
            MultipartError,
            MultipartSegment,
            PushMultipartParser,
            content_disposition_unquote,
            parse_options_header,
        )
    except ImportError:
        raise ImportError(
            f"a multipart form was sent, and the package that reads it is not installed: pip install '{REQUIREMENT}' "
            "(handoff names it as its extra `forms`)",
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
    try:
        # In one piece: strict as it is, the parser takes the line end behind the last boundary only together with that.
        for event in parser.parse(body):
            if isinstance(event, MultipartSegment):
                segment = event
                _require_once(segment.headerlist, parse_options_header, content_disposition_unquote)
            elif event is not None:
                content.append(event)
            else:
                kind = segment.header("Content-Type", "").strip()
                yield Part(segment.name, segment.filename, kind, b"".join(content))
                content = []
        parser.close()
    except MultipartError as problem:
        # The first argument alone: the others quote what was sent.
        raise ValueError(str(problem.args[0])) from None


def _require_once(
    headers: list[tuple[str, str]], parse_options: Callable[..., Any], unquote: Callable[..., str]
) -> None:
    """Of two names of a part, the package would take the last, and others who read the form the first."""
    if len({name for name, _ in headers}) < len(headers):
        raise ValueError("a part has a header twice")
    for name, value in headers:
        if name == "Content-Disposition":
            parse_options(value, _Once(), unquote)


class _Once(dict[str, str]):
    """Takes the parameters of a header, and no second one of a name."""

    def __bool__(self) -> bool:
        # The package would put another dict in the place of one that is empty.
        return True

    def __setitem__(self, name: str, value: str) -> None:
        if name in self:
            raise ValueError("a part has two names, or two of another parameter")
        super().__setitem__(name, value)
