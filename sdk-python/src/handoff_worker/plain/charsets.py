"""The charsets that a client may name. Python's own list also has codecs that are no charsets, and some that take quadratic time."""

_CODECS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "us-ascii": "ascii",
    "ascii": "ascii",
    "iso-8859-1": "latin-1",
    "iso8859-1": "latin-1",
    "latin-1": "latin-1",
    "latin1": "latin-1",
    "windows-1252": "cp1252",
    "cp1252": "cp1252",
    "utf-16": "utf-16",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
}
"""Labels of the Encoding Standard (WHATWG), each with Python's codec for the charset of that name (IANA)."""

KNOWN = "utf-8, us-ascii, iso-8859-1, windows-1252, utf-16, utf-16le, utf-16be"


def decoded(octets: bytes, charset: str) -> str:
    """The octets as text. Raises `ValueError` for an unknown charset, and for octets that are not text in it."""
    codec = _CODECS.get(charset.strip().lower())
    if codec is None:
        raise ValueError(f"the charset {charset[:40]!r} is none of {KNOWN}")
    try:
        return octets.decode(codec)
    except UnicodeDecodeError:
        raise ValueError(f"it is not text in {charset.strip().lower()}") from None
