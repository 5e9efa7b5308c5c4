"""What a server made of the bytes of one connection, as its answers tell."""

import re
from dataclasses import dataclass


class BadAnswer(Exception):
    """Not an answer that a peer of ours gives; nothing can be said about the case."""


@dataclass(frozen=True)
class Message:
    """A whole request that the server handed to its application."""

    method: str
    target: str
    body: str
    """In hex; of one longer than 1024 bytes, its length and SHA-256."""


@dataclass(frozen=True)
class Refusal:
    """An answer of the server itself, behind which it reads no more."""

    status: int
    reason: str


@dataclass(frozen=True)
class Trace:
    messages: tuple[Message, ...]
    refusal: Refusal | None
    """None where the server closed without another word: it awaited more, or had announced that it would close."""
    announced_close: bool
    """The last message was answered with Connection: close, perhaps only because the client had ended its output."""


REASON_FIELDS = ("handoff-error", "refused")


def read(answers: bytes) -> Trace:
    """Takes the answers apart, up to the first that refuses."""
    messages: list[Message] = []
    close = False
    while answers:
        head, separator, rest = answers.partition(b"\r\n\r\n")
        status, phrase, fields = _head(head.decode("latin-1"))
        if not separator:
            raise BadAnswer(f"half an answer: {head!r}")
        answers = rest
        if status < 200:
            continue
        if "echo" not in fields:
            return Trace(tuple(messages), Refusal(status, _reason(phrase, fields, rest)), close)
        messages.append(_message(fields["echo"]))
        close = "close" in fields.get("connection", "").lower()
        # RFC 9110 section 8.6 lets an answer to HEAD leave the length out; no content follows it anyway.
        if messages[-1].method != "HEAD" and fields.get("content-length") != "0":
            raise BadAnswer(f"an echo with content: {head!r}")
    return Trace(tuple(messages), None, close)


def _head(text: str) -> tuple[int, str, dict[str, str]]:
    lines = text.split("\r\n")
    start = re.fullmatch(r"HTTP/1\.[01] (\d{3})(?: (.*))?", lines[0])
    if not start:
        raise BadAnswer(f"not a status line: {lines[0]!r}")
    fields = [line.partition(":") for line in lines[1:]]
    return int(start[1]), start[2] or "", {name.lower(): value.strip() for name, _, value in fields}


def _reason(phrase: str, fields: dict[str, str], content: bytes) -> str:
    for name in REASON_FIELDS:
        if name in fields:
            return fields[name]
    if fields.get("content-type", "").startswith("text/plain") and content:
        return content.decode("latin-1").splitlines()[0]
    return phrase


def _message(echo: str) -> Message:
    method, target, body = echo.split(".")
    return Message(_text(method), origin_form(_text(method), _text(target)), body)


def _text(digits: str) -> str:
    return bytes.fromhex(digits).decode("latin-1")


def origin_form(method: str, target: str) -> str:
    """RFC 9112 section 3.2.2: an absolute target means a path on a host; some servers hand over the one, some the other."""
    absolute = re.fullmatch(r"(?i)https?://[^/?]*(.*)", target)
    if not absolute:
        return target
    path = absolute[1]
    if not path:
        return "*" if method == "OPTIONS" else "/"
    return path if path.startswith("/") else f"/{path}"
