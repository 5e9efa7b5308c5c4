"""What the reader makes of the core's bytes: the golden frames at every split, and any requests at any."""

import json
import random
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from any_machine import on_any_machine
from frame_fixtures import Fixture, from_core
from handoff_worker.protocol import frames
from handoff_worker.protocol.frames import BrokenFrame, FrameReader
from hypothesis import given
from hypothesis import strategies as st

FIXTURES = from_core()
KNOWN = {"request", "data", "welcome", "refused", "cancel", "drain", "ping", "credit", "message", "close"}
SEED = random.randrange(2**32)


def test_there_are_golden_frames() -> None:
    assert len(FIXTURES) >= 20


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_reads_golden_frames_however_they_are_cut(fixture: Fixture) -> None:
    for pieces in cuts(fixture.data):
        assert read(fixture, pieces) == expected(fixture), f"cut into {pieces} (seed {SEED})"


def cuts(data: bytes) -> Iterator[list[bytes]]:
    yield [data]
    yield [data[i : i + 1] for i in range(len(data))]
    for place in range(1, len(data)):
        yield [data[:place], data[place:]]
    chance = random.Random(SEED)
    for _ in range(20):
        places = sorted(chance.choices(range(len(data)), k=4))
        yield [data[begin:end] for begin, end in zip([0, *places], [*places, len(data)], strict=True)]


def expected(fixture: Fixture) -> tuple[list[dict[str, Any]], str]:
    # What only a newer core would send comes out of a general reader, and of ours not at all.
    messages = [with_body_in_hex(message) for message in fixture.messages if message["type"] in KNOWN]
    reaction = fixture.reaction.partition(":")[0]
    return messages, "accepted" if reaction == "ignored" else reaction


def with_body_in_hex(message: dict[str, Any]) -> dict[str, Any]:
    body = message.pop("body", None) if "body" in (message := dict(message)) else None
    return message if body is None else {**message, "bodyHex": body.encode().hex()}


def read(fixture: Fixture, pieces: Iterable[bytes]) -> tuple[list[dict[str, Any]], str]:
    reader = FrameReader(fixture.json_limit, fixture.body_limit)
    messages = []
    for piece in pieces:
        try:
            messages += [whole(message) for message in reader.feed(piece)]
        except BrokenFrame:  # the head of a request is judged when it is asked for
            return messages, "refused"
        if reader.fault is not None:
            return messages, "refused"
    between = reader.missing == frames.PREFIX_BYTES
    return messages, "accepted" if between else "incomplete"


KEYS = {"type", "id", "reason", "code", "message", "protocol", "worker", "limits", "server", "jsonBytes", "bodyBytes"}
KEYS |= {"features", "streamBytes", "bytes"}


def known(message: dict[str, Any]) -> dict[str, Any]:
    """Without the keys of later versions, which a dict may keep and nobody looks at."""
    return {key: known(value) if isinstance(value, dict) else value for key, value in message.items() if key in KEYS}


def whole(message: frames.Message) -> dict[str, Any]:
    if isinstance(message, dict):
        return known(message)
    if isinstance(message, frames.Piece):
        piece = {"type": "data", "id": message.id} | ({"more": True} if message.more else {})
        return {**piece, "bodyHex": message.body.hex()} if message.body else piece
    if isinstance(message, frames.WebSocketMessage):
        text = isinstance(message.content, str)
        body = message.content.encode() if isinstance(message.content, str) else message.content
        assert message.size == len(body)
        told: dict[str, Any] = {"type": "message", "id": message.id} | ({"text": True} if text else {})
        return {**told, "bodyHex": body.hex()} if body else told
    comes_in_pieces = isinstance(message, frames.BeginOfRequest)
    request_id, millis, text, body = message.request if isinstance(message, frames.BeginOfRequest) else message
    head = frames.request_head(text, comes_in_pieces)
    assert (head.pop("more", None) is True) == comes_in_pieces
    if comes_in_pieces:
        head["more"] = True
    assert (head["id"], head["timeoutMillis"]) == (request_id, millis)
    assert frames.request_line(text) in (None, (head["method"], head["target"]))
    return {**head, "bodyHex": body.hex()} if body else head


texts = st.text(st.characters(max_codepoint=0xFF), max_size=20)
requests = st.builds(
    lambda request_id, millis, method, target, headers, body: (
        {
            "type": "request",
            "id": request_id,
            "timeoutMillis": millis,
            "method": method,
            "target": target,
            "version": "1.1",
            "headers": headers,
            "client": "203.0.113.9:51324",
        },
        body,
    ),
    st.integers(1, 2**53 - 1),
    st.integers(0, 2**53 - 1),
    st.text(min_size=1, max_size=10),
    st.text(max_size=20),
    st.lists(st.tuples(texts, texts).map(list), max_size=3),
    st.binary(max_size=40),
)


@on_any_machine
@given(st.lists(requests, max_size=5), st.lists(st.integers(0, 2000), max_size=8), st.booleans(), st.booleans())
def test_reads_any_requests_cut_anywhere(
    sent: list[tuple[dict[str, Any], bytes]], places: list[int], ordered: bool, compact: bool
) -> None:
    """Whatever the order of the keys and the white space, which only make the way shorter."""
    data = b""
    for head, body in sent:
        keys = list(head) if ordered else sorted(head)
        text = json.dumps({key: head[key] for key in keys}, separators=(",", ":") if compact else None).encode()
        data += frames.prefix.pack(len(text), len(body)) + text + body
    reader = FrameReader()
    read = []
    bounds = [0, *sorted(min(place, len(data)) for place in places), len(data)]
    for begin, end in pairwise(bounds):
        read += [whole(message) for message in reader.feed(data[begin:end])]
    assert reader.fault is None
    assert read == [{**head, "bodyHex": body.hex()} if body else head for head, body in sent]


def test_names_the_key_that_a_request_lacks() -> None:
    with pytest.raises(BrokenFrame, match="client"):
        frames.request_head(
            b'{"type":"request","id":1,"timeoutMillis":1,"method":"GET","target":"/","version":"1.1","headers":[]}'
        )


def test_asks_for_as_much_as_the_frame_lacks() -> None:
    """So that a large body is read in large pieces, and not looked at before it is whole."""
    reader = FrameReader()
    text = b'{"type":"drain"}'
    assert reader.feed(frames.prefix.pack(len(text), 100_000)) == []
    assert reader.missing == len(text) + 100_000


@on_any_machine
@given(st.text(), st.integers(1, 2**53 - 1), st.booleans())
def test_a_failure_carries_any_text(message: str, request_id: int, retry: bool) -> None:
    frame = frames.failure(request_id, message, retry)
    json_bytes, body_bytes = frames.prefix.unpack_from(frame)
    assert (json_bytes, body_bytes) == (len(frame) - 8, 0)
    head = json.loads(frame[8:])
    assert head == {"type": "failure", "id": request_id, "message": message} | ({"retry": True} if retry else {})


def test_a_failure_carries_what_is_no_unicode() -> None:
    assert json.loads(frames.failure(1, "\ud800", False)[8:])["message"] == "\ud800"


def test_a_failure_is_cut_where_it_is_too_long_for_a_log() -> None:
    frame = frames.failure(1, "x" * 10_000, False)
    assert json.loads(frame[8:])["message"] == "x" * 4000 + "… (6000 more characters)"
