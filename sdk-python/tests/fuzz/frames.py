"""
Properties of the frames that come from the core: whatever the bytes are and however they are cut, the reader finds the same
messages and the same fault. A head that was read without decoding its JSON says what its JSON says. Nothing but `BrokenFrame`
comes out. A frame that was written is read as the same head and body.
"""

import json
from contextlib import suppress
from typing import Any
from zlib import crc32

from handoff_worker.protocol.frames import (
    BeginOfRequest,
    BrokenFrame,
    FrameReader,
    Head,
    Message,
    Piece,
    frame,
    request_head,
    request_line,
)

JSON_LIMIT, BODY_LIMIT = 400, 64
"""So small that the search meets both."""

MOST_REASON = 20
"""Six characters of JSON for each, twice, and still below the limit."""

Outcome = tuple[list[Any], str | None, int]


def read(data: bytes) -> None:
    outcome(data)


def holds(data: bytes) -> None:
    whole = outcome(data)
    assert outcome(*(data[i : i + 1] for i in range(len(data)))) == whole, "byte by byte they are other messages"
    cut = crc32(data) % (len(data) + 1)
    assert outcome(data[:cut], data[cut:]) == whole, f"cut at {cut} they are other messages"
    for message in whole[0]:
        if isinstance(message, tuple):
            _request_says_one_thing(message[2])
    _is_read_as_written(data)


def outcome(*pieces: bytes) -> Outcome:
    """The messages, the fault and, where there is none, how many bytes are missing."""
    reader = FrameReader(JSON_LIMIT, BODY_LIMIT)
    messages = []
    for piece in pieces:
        messages += map(_comparable, reader.feed(piece))
        if reader.fault is not None:
            return messages, reader.fault, 0
        assert reader.missing > 0, "a frame that is whole was not read"
    return messages, None, reader.missing


def _comparable(message: Message) -> Any:
    if isinstance(message, Piece):
        return [message.id, message.body, message.more]
    return [message.request] if isinstance(message, BeginOfRequest) else message


def _request_says_one_thing(text: bytes) -> None:
    line = request_line(text)
    with suppress(BrokenFrame):
        head = request_head(text)
        # A key that comes twice is a fault (PROTOCOL.md, `duplicate_key`) that the core never makes, and this reader does not look for.
        if line is not None and not _has_twins(text):
            assert line == (head["method"], head["target"]), "the line and the head of a request differ"


def _has_twins(text: bytes) -> bool:
    found = False

    def pairs(items: list[tuple[str, Any]]) -> None:
        nonlocal found
        found = found or len({key for key, _ in items}) < len(items)

    json.loads(text, object_pairs_hook=pairs)
    return found


def _is_read_as_written(data: bytes) -> None:
    body = data[:BODY_LIMIT]
    reason = data[BODY_LIMIT : BODY_LIMIT + MOST_REASON].decode("latin-1")
    request = {"type": "request", "id": 1, "timeoutMillis": 1, "method": reason, "target": "/", "version": "1.1"}
    written: Head = {**request, "headers": [["x", reason]], "client": "[::1]:1"}
    cancel: Head = {"type": "cancel", "id": 2, "reason": reason}
    messages = outcome(frame(written, body) + frame(cancel))[0]
    assert len(messages) == 2 and isinstance(messages[0], tuple)
    request_id, millis, text, same_body = messages[0]
    assert (request_id, millis, same_body) == (1, 1, body)
    assert request_head(text) == written
    assert request_line(text) in (None, (reason, "/"))
    assert messages[1] == cancel
