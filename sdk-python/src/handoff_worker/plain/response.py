"""The response that a plain function returns."""

import re
from collections.abc import AsyncIterable, Iterable, Mapping, Sequence
from typing import Any, Literal

from handoff_worker.protocol import json_codec
from handoff_worker.protocol.response_frame import MOST_CACHED, MOST_CACHED_CHARACTERS, check_header

Pairs = tuple[tuple[str, str], ...]
Part = bytes | str
Parts = Iterable[Part] | AsyncIterable[Part]
HeaderFields = Mapping[str, str] | Iterable[tuple[str, str]]

_TEXT: Pairs = (("content-type", "text/plain; charset=utf-8"),)
_BYTES: Pairs = (("content-type", "application/octet-stream"),)
_JSON: Pairs = (("content-type", "application/json"),)

_cookie_value = re.compile(r"[!#-+\--:<-\[\]-~]*").fullmatch
_cookie_attribute = re.compile(r"[ -:<-~]*").fullmatch
_known: dict[tuple[Pairs, Pairs], Pairs] = {}


class Response:
    """
    One HTTP response. The core adds `Content-Length` and `Date`, and leaves out the body where HTTP forbids one.

    `body`: bytes, or text, which is sent as UTF-8. Or an iterable of such parts, which leave while it makes the next; a handler with
    `async def` may give an asynchronous one too. It is closed at the end, also when the client leaves before. `status`: 200 to 599. `headers`: a mapping, or pairs of name and value where a
    name comes more than once. The default `content-type` is `text/plain; charset=utf-8` for text, and `application/octet-stream`
    for bytes and iterables.

    Raises `ValueError` for a status or a header that cannot be sent (line breaks, characters past U+00FF); the message names it.
    Raises `TypeError` for a body that is none of these, and for a mapping. RFC 9110 sections 5 and 15 have the rules.
    """

    __slots__ = ("body", "headers", "parts", "reason", "status")

    def __init__(self, body: str | bytes | Parts = b"", status: int = 200, headers: HeaderFields | None = None) -> None:
        self.body: bytes
        """The whole body; empty where it comes in parts."""
        self.parts: Parts | None = None
        """What gives the parts of the body; None for a whole one."""
        if type(body) is str:
            self.body = body.encode()
            default = _TEXT
        elif isinstance(body, bytes):
            self.body = body
            default = _BYTES if body else ()
        elif isinstance(body, str | bytearray | memoryview):
            self.body = as_bytes(body)
            default = _TEXT if isinstance(body, str) else _BYTES
        else:
            self.body, self.parts, default = b"", _checked_parts(body), _BYTES
        if not 200 <= status <= 599:
            raise ValueError(f"status {status} is not from 200 to 599 (RFC 9110 section 15)")
        self.status = status
        self.headers: Sequence[tuple[str, str]] = default if headers is None else _with_default(headers, default)
        """The name and value of every header line, in order."""
        self.reason: str | None = None
        """The reason phrase; None for the usual phrase of the status."""

    @classmethod
    def json(cls, value: Any, status: int = 200, headers: HeaderFields | None = None) -> "Response":
        """
        A response with a value as JSON (RFC 8259). Raises `TypeError` or `ValueError` for a value that JSON cannot hold, such as a set.

        Where `orjson` is installed its rules hold: it also writes dates and UUIDs, and writes null for NaN. Without it these are
        refused.
        """
        response = cls(json_codec.encode(value), status)
        response.headers = _JSON if headers is None else _with_default(headers, _JSON)
        return response

    def add_header(self, name: str, value: str) -> None:
        """Adds a header line, and keeps those of the same name. Raises `ValueError` for a line that cannot be sent."""
        check_header(name, value)
        self._add((name, value))

    def set_cookie(
        self,
        name: str,
        value: str,
        *,
        max_age: int | None = None,
        path: str = "/",
        domain: str | None = None,
        secure: bool = False,
        http_only: bool = True,
        same_site: Literal["Strict", "Lax", "None"] | None = "Lax",
    ) -> None:
        """
        Adds a `Set-Cookie` header (RFC 6265 section 4.1).

        `max_age`: in seconds; 0 deletes the cookie, None keeps it for the session. `domain`: None for the host of the request alone.
        `secure`: sent over TLS only. `http_only`: hidden from scripts. `same_site`: None leaves the attribute out.

        Raises `ValueError` for a value with blanks, quotes, commas, semicolons, backslashes or characters beyond ASCII, which have
        to be encoded, and for `same_site="None"` without `secure`.
        """
        check_header(name, value)
        if not _cookie_value(value):
            raise ValueError(
                f"cookie {name} has a blank, quote, comma, semicolon, backslash or non-ASCII character in its value"
            )
        if same_site == "None" and not secure:
            raise ValueError(f"cookie {name} is SameSite=None and not secure: browsers drop it")
        parts = [f"{name}={value}"]
        for attribute, text in (("Path", path), ("Domain", domain), ("SameSite", same_site)):
            if text is not None:
                if not _cookie_attribute(text):
                    raise ValueError(f"cookie {name} has a character in its {attribute} that cannot be there: {text!r}")
                parts.append(f"{attribute}={text}")
        if max_age is not None:
            parts.append(f"Max-Age={int(max_age)}")
        parts += ["Secure"] * secure + ["HttpOnly"] * http_only
        self._add(("set-cookie", "; ".join(parts)))

    def _add(self, pair: tuple[str, str]) -> None:
        # Responses with the same headers share what they were made with.
        if not isinstance(self.headers, list):
            self.headers = list(self.headers)
        self.headers.append(pair)

    def __repr__(self) -> str:
        return f"<Response {self.status}, {f'{len(self.body)} bytes' if self.parts is None else 'in parts'}>"


def as_bytes(part: object) -> bytes:
    """A part of a body, as it is sent. Raises `TypeError` where it is neither text nor bytes."""
    if isinstance(part, bytes):
        return part
    if isinstance(part, str):
        return part.encode()
    if isinstance(part, bytearray | memoryview):
        return bytes(part)
    raise TypeError(f"a part of the body is {type(part).__name__}: expected str or bytes")


def close_parts(parts: object) -> None:
    """Closes an iterable that is not asynchronous, where it can be closed: a generator then runs its `finally`."""
    close = getattr(parts, "close", None)
    if close is not None:
        close()


def _checked_parts(body: Parts) -> Parts:
    if isinstance(body, Iterable | AsyncIterable) and not isinstance(body, Mapping):
        return body
    raise TypeError(
        f"a body of type {type(body).__name__}: expected str, bytes or an iterable of these, or Response.json(…) for a value"
    )


def _with_default(headers: HeaderFields, default: Pairs) -> Pairs:
    """The checked pairs, behind the default content type unless they name one. Kept, since most responses have the same."""
    fields = headers.items() if isinstance(headers, Mapping) else headers
    pairs = tuple((name, value) for name, value in fields)
    known = _known.get((pairs, default))
    if known is not None:
        return known
    for name, value in pairs:
        check_header(name, value)
    result = pairs if any(name.lower() == "content-type" for name, _ in pairs) else default + pairs
    if sum(len(name) + len(value) for name, value in pairs) <= MOST_CACHED_CHARACTERS:
        if len(_known) >= MOST_CACHED:
            _known.clear()
        _known[pairs, default] = result
    return result
