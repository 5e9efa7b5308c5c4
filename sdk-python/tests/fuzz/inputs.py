"""Requests made of bytes, with what the core guarantees of every request: its refusals are not what is tested here."""

import re

from handoff_worker.protocol.exchange import Exchange
from recorded import Fields, Outbox, exchange

_not_in_target = re.compile(r"[^!$-;=?-Z_a-z~]")
_not_in_value = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_not_in_token = re.compile(r"[^!#$%&'*+\-.^_`|~0-9A-Za-z]")
_host = re.compile(r"([A-Za-z0-9._~!$&'()*+,;=-]+|\[[0-9a-f:]+\])(:0*[0-9]{0,4})?")

MOST_FIELDS = 100
"""That the core takes."""


def lines(data: bytes) -> list[str]:
    """The input as lines of one character an octet: its files can be read, and mutations move whole lines."""
    return data.decode("latin-1").split("\n")


def token(text: str) -> str:
    return _not_in_token.sub("", text) or "x"


def target_of(text: str) -> str:
    """Origin form or an asterisk, of the characters that the core lets pass."""
    return text if text == "*" else "/" + _not_in_target.sub("", text).removeprefix("/")


def fields_of(texts: list[str]) -> Fields:
    """`name: value` in each line, as the core hands fields over: names in lower case, no blanks around values, a valid Host."""
    fields = []
    hosts = 0
    for text in texts[:MOST_FIELDS]:
        name, _, value = text.partition(":")
        name, value = token(name).lower(), _not_in_value.sub("", value).strip(" \t")
        if name == "host":
            if hosts or not _host.fullmatch(value):
                continue
            hosts += 1
        fields.append((name, value))
    return fields


def request_of(data: bytes, outbox: Outbox | None = None) -> tuple[Exchange, Fields]:
    """Method, target, fields and, behind an empty line, the body: as a request looks in HTTP/1.1."""
    head, _, body = data.partition(b"\n\n")
    method, target, *rest = [*lines(head), ""][: 2 + MOST_FIELDS]
    fields = fields_of([line for line in rest if line])
    made = exchange(outbox or Outbox(), token(method), target_of(target), fields, body)
    return made, fields
