"""JSON, by `orjson` where it is installed, else by the standard library.

Both read only what RFC 8259 allows, and write plain values alike. They differ in rare values (sdk-python/README.md, "Plain
functions"): the standard library refuses NaN, `orjson` writes null.
"""

import json
import re
from collections.abc import Callable
from typing import Any

try:
    import orjson  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    orjson = None

_SAFE_ORJSON = (3, 9, 15)
_numbers_of_version = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})").match


def _why_not(version: str) -> str | None:
    """Why this version of `orjson` is not used; None if it is."""
    numbers = _numbers_of_version(version)
    if numbers is not None and tuple(map(int, numbers.groups())) >= _SAFE_ORJSON:
        return None
    return (
        f"orjson {version} is not used: before 3.9.15 a client can end the process by JSON that is nested deeply "
        "(CVE-2024-27454). Upgrade it to 3.9.15 or later, or remove it: then the standard library reads JSON, as it does now"
    )


refused: str | None = None if orjson is None else _why_not(orjson.__version__)
"""Why `orjson` is not used though it is installed; else None."""
if refused is not None:
    orjson = None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


_decoder = json.JSONDecoder(parse_constant=_refuse)
_encoder = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_scan = _decoder.scan_once  # type: ignore[attr-defined]


def _decode(text: bytes) -> Any:
    characters = text.decode()
    if characters[:1] == "{":
        # As JSONDecoder.decode does it, but without a search for white space first.
        try:
            value, end = _scan(characters, 0)
        except StopIteration as problem:
            raise ValueError(f"not JSON at character {problem.value}") from None
        if end == len(characters):
            return value
    return _decoder.decode(characters)


def _encode(value: Any) -> bytes:
    return _encoder.encode(value).encode()


decode: Callable[[bytes], Any] = _decode if orjson is None else orjson.loads
"""The value of JSON in UTF-8. Raises `ValueError` for text that is not JSON."""

encode: Callable[[Any], bytes] = _encode if orjson is None else orjson.dumps
"""The JSON of a value, in UTF-8 without blanks. Raises `TypeError` or `ValueError` for a value that JSON cannot hold."""

quote = json.encoder.encode_basestring_ascii
"""A string as JSON, in ASCII."""
