"""Server-sent events, as the HTML standard has them (section 9.2), and bodies that come in parts."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from handoff_worker import Event, Response, events

TYPE = ("content-type", "text/event-stream")
NO_STORE = ("cache-control", "no-store")


@pytest.mark.parametrize(
    ("event", "sent"),
    [
        (Event("hello"), b"data: hello\n\n"),
        (Event(""), b"data: \n\n"),
        (Event("a\nb\r\nc\rd"), b"data: a\ndata: b\ndata: c\ndata: d\n\n"),
        (Event("a\n"), b"data: a\ndata: \n\n"),
        (Event(" a:b"), b"data:  a:b\n\n"),
        (Event("\u2028\x0b\x85é"), "data: \u2028\x0b\x85é\n\n".encode()),
        (Event("x", event="tick", id="7", retry=1000), b"event: tick\nid: 7\nretry: 1000\ndata: x\n\n"),
        (Event(id=""), b"id: \n\n"),
        (Event(retry=0), b"retry: 0\n\n"),
        (Event(comment="still\nhere"), b": still\n: here\n\n"),
    ],
)
def test_an_event_is_framed(event: Event, sent: bytes) -> None:
    assert event.encode() == sent


@pytest.mark.parametrize(
    "wrong", [{"event": "a\nb"}, {"event": "a\rb"}, {"id": "a\nb"}, {"id": "a\rb"}, {"id": "a\0b"}, {"retry": -1}]
)
def test_refuses_what_would_be_read_as_something_else(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Event("x", **wrong)


def parts_of(response: Response) -> list[Any]:
    assert isinstance(response.parts, Iterator)
    return list(response.parts)


def test_texts_and_events_become_parts() -> None:
    response = events(iter(["one", Event("two", id="2")]))
    assert parts_of(response) == [b"data: one\n\n", b"id: 2\ndata: two\n\n"]
    assert (response.status, list(response.headers)) == (200, [TYPE, NO_STORE])


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"X-Accel-Buffering": "no"}, [TYPE, NO_STORE, ("X-Accel-Buffering", "no")]),
        ([("Cache-Control", "no-cache")], [TYPE, ("Cache-Control", "no-cache")]),
        (
            {"Content-Type": "text/event-stream; charset=utf-8"},
            [NO_STORE, ("Content-Type", "text/event-stream; charset=utf-8")],
        ),
    ],
)
def test_headers_replace_those_that_are_usual(headers: Any, expected: list[tuple[str, str]]) -> None:
    assert list(events(iter(()), headers=headers).headers) == expected


def test_the_source_is_closed_with_its_parts() -> None:
    closed: list[str] = []

    def source() -> Iterator[str]:
        try:
            while True:
                yield "x"
        finally:
            closed.append("closed")

    parts: Any = events(source()).parts
    next(parts)
    parts.close()
    assert closed == ["closed"]


@pytest.mark.parametrize("wrong", ["text", 3, None])
def test_refuses_a_source_that_is_none(wrong: Any) -> None:
    with pytest.raises(TypeError):
        parts_of(events(wrong))


def test_refuses_what_is_no_event() -> None:
    with pytest.raises(TypeError, match="gave int"):
        parts_of(events([3]))  # type: ignore[list-item]


def test_a_body_may_be_any_iterable() -> None:
    async def later() -> AsyncIterator[bytes]:
        yield b"x"

    for body in (iter([b"x"]), [b"x", "y"], (part for part in "xy"), later()):
        response = Response(body)
        assert (response.body, response.parts) == (b"", body)
        assert response.headers == (("content-type", "application/octet-stream"),)
        assert repr(response) == "<Response 200, in parts>"
