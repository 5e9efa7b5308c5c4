"""The frame of a response, without its body. Refuses what the core would refuse, and keeps texts that repeat."""

import re
from collections.abc import Iterable

from handoff_worker.accelerator import write_response_head
from handoff_worker.protocol import json_codec
from handoff_worker.protocol.frames import prefix

Pairs = tuple[tuple[str, str], ...]

MOST_CACHED = 1024
"""Texts that are kept. When there are more, all are dropped: an application whose headers always differ gains nothing by a better rule."""
MOST_CACHED_CHARACTERS = 1024
MOST_HEADERS = 1000
"""The core takes no more, since each takes a hundred bytes of memory besides its text."""
MOST_HEAD_CHARACTERS = 1024 * 1024 - 64
"""The core takes 1 MiB of JSON. The rest is for the keys `type` and `id`."""

_token = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+").fullmatch
_not_in_value = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]").search
_texts: dict[tuple[int, Pairs, str | None], bytes] = {}
_pack = prefix.pack


def response_head(
    request_id: int,
    status: int,
    headers: Iterable[tuple[str, str]],
    body_bytes: int,
    reason: str | None,
    more: bool = False,
) -> bytes:
    """
    Lengths and JSON of a response (PROTOCOL.md, `response`).

    `headers`: pairs of name and value. `body_bytes`: the length of the body, which follows. `reason`: None for the usual phrase.
    `more`: whether the body is only the first piece.
    Raises `ValueError` and `TypeError` that name the status, header or reason which the core would refuse.
    """
    pairs = headers if type(headers) is tuple else tuple(headers)
    if write_response_head is not None and reason is None and not more:
        head = write_response_head(request_id, status, pairs, body_bytes)
        if head is not None:
            return head
    if (
        not isinstance(status, int) or not 200 <= status <= 599
    ):  # first, since 203.0 would find what is remembered of 203
        raise ValueError(f"status {status!r} is not a number from 200 to 599 (RFC 9110 section 15)")
    text = _texts.get((status, pairs, reason)) or _text(status, pairs, reason)
    if more:
        text = text[:-1] + b',"more":true}'
    begin = b'{"type":"response","id":%d' % request_id
    return _pack(len(begin) + len(text), body_bytes) + begin + text


def switch_head(request_id: int, headers: Iterable[tuple[str, str]]) -> bytes:
    """The frame of a 101, by which a worker accepts a WebSocket. Raises as `response_head` does."""
    begin = b'{"type":"response","id":%d' % request_id
    text = _text(101, tuple(headers), None)[:-1] + b',"more":true}'
    return _pack(len(begin) + len(text), 0) + begin + text


def check_header(name: str, value: str) -> None:
    """Raises `ValueError` for a header that cannot be sent (RFC 9110 section 5), and `TypeError` where it is not made of strings."""
    if not isinstance(name, str) or not isinstance(value, str):
        raise TypeError(f"header {name!r} with the value {value!r}: both have to be str")
    if not _token(name):
        raise ValueError(f"header name {name!r} is not a token (RFC 9110 section 5.6.2)")
    if _not_in_value(value):
        raise ValueError(f"header {name} has a line break or another control character in its value {value!r}")
    if not value.isascii():
        try:
            value.encode("latin-1")
        except UnicodeEncodeError:
            raise ValueError(f"header {name} has characters past U+00FF in its value {value!r}: encode them") from None


def _text(status: int, pairs: Pairs, reason: str | None) -> bytes:
    """The JSON behind the id, kept for the next response of the same headers."""
    if len(pairs) > MOST_HEADERS:
        raise ValueError(f"there are {len(pairs)} headers, and the core takes {MOST_HEADERS} at most")
    text = f',"status":{int(status)}'
    if reason:
        check_header("Reason", reason)
        text += f',"reason":{json_codec.quote(reason)}'
    fields = []
    for pair in pairs:
        name, value = pair
        check_header(name, value)
        fields.append(f"[{json_codec.quote(name)},{json_codec.quote(value)}]")
    if fields:
        text += f',"headers":[{",".join(fields)}]'
    if len(text) > MOST_HEAD_CHARACTERS:
        raise ValueError(f"the headers have {len(text)} characters, and the core takes 1 MiB at most")
    encoded = (text + "}").encode()
    if len(encoded) <= MOST_CACHED_CHARACTERS:
        if len(_texts) >= MOST_CACHED:
            _texts.clear()
        _texts[status, pairs, reason] = encoded
    return encoded
