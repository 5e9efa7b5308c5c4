"""Server-sent events, in the format of the HTML standard (section 9.2, "Server-sent events")."""

from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable, Mapping

from handoff_worker.plain.response import HeaderFields, Pairs, Response, close_parts

_DEFAULTS: Pairs = (("content-type", "text/event-stream"), ("cache-control", "no-store"))


class Event:
    """
    One event for an `EventSource` in a browser.

    `data`: any text; each of its lines becomes a line of the event. None sends no data: browsers fire no event then, but keep `id`
    and `retry`. `event`: its type; without one it is `message`. `id`: what the browser sends as `Last-Event-ID` when it connects
    again. `retry`: milliseconds until it connects again. `comment`: a text that browsers skip; it keeps an idle connection open.

    Raises `ValueError` for a line break in `event` or `id`, NUL in `id`, and a negative `retry`.
    """

    __slots__ = ("comment", "data", "event", "id", "retry")

    def __init__(
        self,
        data: str | None = None,
        *,
        event: str | None = None,
        id: str | None = None,
        retry: int | None = None,
        comment: str | None = None,
    ) -> None:
        for name, text in (("event", event), ("id", id)):
            if text is not None and ("\n" in text or "\r" in text):
                raise ValueError(f"the {name} of a server-sent event has a line break: {text!r}")
        if id is not None and "\0" in id:
            raise ValueError(f"the id of a server-sent event has NUL in it: {id!r}")
        if retry is not None and retry < 0:
            raise ValueError(f"retry is {retry}: expected milliseconds from 0")
        self.data = data
        self.event = event
        self.id = id
        self.retry = retry
        self.comment = comment

    def encode(self) -> bytes:
        """As it is sent, in UTF-8, with the empty line that ends it."""
        lines = [] if self.comment is None else [f": {line}" for line in _lines(self.comment)]
        if self.event is not None:
            lines.append(f"event: {self.event}")
        if self.id is not None:
            lines.append(f"id: {self.id}")
        if self.retry is not None:
            lines.append(f"retry: {self.retry:d}")
        if self.data is not None:
            lines += [f"data: {line}" for line in _lines(self.data)]
        return ("\n".join(lines) + "\n\n").encode()


def events(
    source: Iterable[Event | str] | AsyncIterable[Event | str],
    *,
    status: int = 200,
    headers: HeaderFields | None = None,
) -> Response:
    """
    A response of server-sent events, each of which leaves as soon as the source gives it.

    `source`: an iterable, or with `async def` also an asynchronous one, of events and texts; a text is the data of an event. It is
    closed when the client leaves. `status` and `headers`: as for `Response`. The headers begin with `Content-Type:
    text/event-stream` and `Cache-Control: no-store`, unless `headers` has others.
    """
    if isinstance(source, str):
        raise TypeError("the source of events is a str: expected an iterable of Event or str")
    fields = tuple((headers.items() if isinstance(headers, Mapping) else headers) if headers is not None else ())
    given = {name.lower() for name, _ in fields}
    defaults = tuple(pair for pair in _DEFAULTS if pair[0] not in given)
    if isinstance(source, AsyncIterable):
        return Response(_encoded_later(source), status, defaults + fields)
    return Response(_encoded(source), status, defaults + fields)


def _encoded(source: Iterable[Event | str]) -> Generator[bytes, None, None]:
    try:
        for each in source:
            yield _event(each).encode()
    finally:
        close_parts(source)


async def _encoded_later(source: AsyncIterable[Event | str]) -> AsyncGenerator[bytes, None]:
    try:
        async for each in source:
            yield _event(each).encode()
    finally:
        aclose = getattr(source, "aclose", None)
        if aclose is not None:
            await aclose()


def _event(each: Event | str) -> Event:
    if isinstance(each, Event):
        return each
    if isinstance(each, str):
        return Event(each)
    raise TypeError(f"the source of events gave {type(each).__name__}: expected Event or str")


def _lines(text: str) -> list[str]:
    """The lines of a text as the standard ends them: by CRLF, LF or CR."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
