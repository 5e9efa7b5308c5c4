"""What a WSGI application may do with start_response, write and its iterable, as PEP 3333 says."""

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any
from wsgiref.validate import validator

import pytest
from handoff_worker.start.kinds import is_wsgi
from handoff_worker.wsgi.application import WsgiApplication
from recorded import Kept, Outbox, exchange

Start = Callable[..., Callable[[bytes], None]]
TEXT = [("Content-Type", "text/plain")]


def response_of(app: Any, body_limit: int = 1000, **request: Any) -> Kept:
    outbox = Outbox(body_limit)
    WsgiApplication(app, "app", multithread=False).begin(exchange(outbox, **request))
    return outbox.only


class Chunks:
    """An iterable that notes whether it was closed."""

    def __init__(self, *chunks: Any) -> None:
        self.chunks = chunks
        self.closed = 0

    def __iter__(self) -> Iterator[Any]:
        for chunk in self.chunks:
            if isinstance(chunk, Exception):
                raise chunk
            yield chunk

    def close(self) -> None:
        self.closed += 1


def answering(chunks: Iterable[bytes], status: str = "200 OK", headers: list[tuple[str, str]] | None = None) -> Any:
    def app(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
        start_response(status, TEXT if headers is None else headers)
        return chunks

    return app


def test_response_has_status_headers_and_body() -> None:
    headers = [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")]
    kept = response_of(answering([b"he", b"llo"], "201 Created", headers))
    assert (kept.status, kept.headers, kept.body) == (201, headers, b"hello")
    assert "reason" not in kept.head


@pytest.mark.parametrize("stream_bytes", [0, 65_536])
def test_bytes_in_place_of_an_iterable_are_the_body(stream_bytes: int) -> None:
    outbox = Outbox(stream_bytes=stream_bytes)
    WsgiApplication(answering(b"hello"), "app", multithread=False).begin(exchange(outbox))
    assert outbox.only.body == b"hello"


def test_text_in_place_of_an_iterable_is_refused() -> None:
    with pytest.raises(TypeError, match="gave str as a part of the body, which has to be bytes"):
        response_of(answering("hello"))  # type: ignore[arg-type]


def test_reason_of_the_applications_own_is_kept() -> None:
    assert response_of(answering([], "404 Gone Fishing")).head["reason"] == "Gone Fishing"


@pytest.mark.parametrize("status", ["ok", "20 OK", "2000 OK", "", "\u0662\u0660\u0660 OK"])
def test_refuses_a_status_that_is_none(status: str) -> None:
    with pytest.raises(ValueError, match="status"):
        response_of(answering([], status))


def test_iterable_is_closed_once_it_was_read() -> None:
    chunks = Chunks(b"a", b"", b"b")
    assert response_of(answering(chunks)).body == b"ab"
    assert chunks.closed == 1


def test_iterable_is_closed_when_it_fails() -> None:
    chunks = Chunks(b"a", OSError("lost"))
    with pytest.raises(OSError, match="lost"):
        response_of(answering(chunks))
    assert chunks.closed == 1


def test_generator_may_call_start_response_before_its_first_chunk() -> None:
    def app(environ: dict[str, Any], start_response: Start) -> Iterator[bytes]:
        yield b""
        start_response("200 OK", TEXT)
        yield b"late"

    assert response_of(app).body == b"late"


def test_refuses_a_chunk_before_start_response() -> None:
    with pytest.raises(RuntimeError, match="before it called start_response"):
        response_of(lambda environ, start_response: [b"early"])


def test_refuses_a_response_without_start_response() -> None:
    with pytest.raises(RuntimeError, match="never called start_response"):
        response_of(lambda environ, start_response: [])


@pytest.mark.parametrize("chunk", ["text", bytearray(b"x"), 1])
def test_refuses_a_chunk_that_is_not_bytes(chunk: Any) -> None:
    with pytest.raises(TypeError, match=type(chunk).__name__):
        response_of(answering([chunk]))


def test_what_is_written_comes_before_what_is_returned() -> None:
    def app(environ: dict[str, Any], start_response: Start) -> list[bytes]:
        write = start_response("200 OK", TEXT)
        write(b"one ")
        write(b"two ")
        return [b"three"]

    assert response_of(app).body == b"one two three"


def test_refuses_a_second_start_response_without_exc_info() -> None:
    def app(environ: dict[str, Any], start_response: Start) -> list[bytes]:
        start_response("200 OK", TEXT)
        start_response("500 Oops", TEXT)
        return []

    with pytest.raises(RuntimeError, match="twice"):
        response_of(app)


def test_exc_info_replaces_status_and_headers_while_there_is_no_body() -> None:
    def app(environ: dict[str, Any], start_response: Start) -> list[bytes]:
        start_response("200 OK", [("A", "1")])
        try:
            raise KeyError("gone")
        except KeyError:
            start_response("500 Oops", [("B", "2")], sys.exc_info())
        return [b"sorry"]

    kept = response_of(app)
    assert (kept.status, kept.headers, kept.body) == (500, [("B", "2")], b"sorry")


def test_exc_info_is_raised_when_there_is_a_part_of_the_body() -> None:
    def app(environ: dict[str, Any], start_response: Start) -> list[bytes]:
        start_response("200 OK", TEXT)(b"begun")
        try:
            raise KeyError("gone")
        except KeyError:
            start_response("500 Oops", TEXT, sys.exc_info())
        return []

    with pytest.raises(KeyError, match="gone"):
        response_of(app)


def test_body_may_be_as_large_as_the_core_takes_and_no_larger() -> None:
    assert response_of(answering([b"x" * 10] * 10), body_limit=100).body == b"x" * 100
    with pytest.raises(ValueError, match="larger than the 99 bytes"):
        response_of(answering([b"x" * 10] * 10), body_limit=99)


def test_stops_an_iterable_that_never_ends() -> None:
    def endless(environ: dict[str, Any], start_response: Start) -> Iterator[bytes]:
        start_response("200 OK", TEXT)
        while True:
            yield b"x" * 50

    with pytest.raises(ValueError, match="larger"):
        response_of(endless)


@pytest.mark.parametrize("reason", ["client_gone", "deadline"])
def test_stops_an_iterable_once_nobody_waits_and_closes_it(reason: str) -> None:
    outbox = Outbox()
    one = exchange(outbox)
    asked: list[int] = []

    def cancelled_midway() -> Iterator[bytes]:
        for i in range(5):
            asked.append(i)
            if i == 1:
                # As the blocking engine does for a client that left: its id goes back at once.
                one.on_cancel(lambda reason: one.fail("left") if reason == "client_gone" else None)
                one.cancel(reason)
            yield b"x"

    class Midway(Chunks):
        def __iter__(self) -> Iterator[bytes]:
            return cancelled_midway()

    chunks = Midway()
    WsgiApplication(answering(chunks, headers=[("Content-Length", "5")]), "app", multithread=True).begin(one)
    assert (asked, chunks.closed) == ([0, 1], 1)
    assert outbox.only.failure == ("left" if reason == "client_gone" else "cancelled: deadline")


def test_drops_what_is_written_once_nobody_waits() -> None:
    outbox = Outbox()
    one = exchange(outbox)

    def app(environ: dict[str, Any], start_response: Start) -> list[bytes]:
        write = start_response("200 OK", TEXT)
        one.on_cancel(lambda reason: one.fail("left"))
        one.cancel("client_gone")
        for _ in range(50):
            with suppress(OSError):
                write(b"x" * 50)
        return []

    WsgiApplication(app, "app", multithread=True).begin(one)
    assert outbox.only.failure == "left"


@pytest.mark.parametrize("stream_bytes", [0, 65_536])
@pytest.mark.parametrize("chunk", [b"x", b""])
def test_write_raises_an_os_error_once_nobody_waits(stream_bytes: int, chunk: bytes) -> None:
    outbox = Outbox(stream_bytes=stream_bytes)
    one = exchange(outbox)
    raised: list[str] = []

    def app(environ: dict[str, Any], start_response: Start) -> list[bytes]:
        write = start_response("200 OK", TEXT)
        one.cancel("deadline")
        try:
            write(chunk)
        except OSError as error:
            raised.append(str(error))
            raise
        return []

    WsgiApplication(app, "app", multithread=True).begin(one)
    assert raised == [outbox.only.failure] == ["nobody waits for this response any more: deadline"]


@pytest.mark.parametrize("declared", ["4", "6", "five"])
def test_refuses_a_length_that_is_not_the_bodys(declared: str) -> None:
    with pytest.raises(RuntimeError, match=f"Content-Length of {declared} and gave 5"):
        response_of(answering([b"hello"], headers=[("Content-Length", declared)]))


@pytest.mark.parametrize(
    ("method", "status"), [("HEAD", "200 OK"), ("GET", "304 Not Modified"), ("GET", "204 No Content")]
)
def test_length_may_differ_where_no_body_is_sent(method: str, status: str) -> None:
    kept = response_of(answering([], status, [("Content-Length", "5")]), method=method)
    assert kept.headers == [("Content-Length", "5")]


def test_file_is_read_whole_and_closed() -> None:
    file = io.BytesIO(b"x" * 900)

    def app(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
        start_response("200 OK", TEXT)
        wrapped: Iterable[bytes] = environ["wsgi.file_wrapper"](file, 4)
        return wrapped

    assert response_of(app).body == b"x" * 900
    assert file.closed


def test_file_larger_than_the_core_takes_is_refused() -> None:
    def app(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
        start_response("200 OK", TEXT)
        wrapped: Iterable[bytes] = environ["wsgi.file_wrapper"](io.BytesIO(b"x" * 1001))
        return wrapped

    with pytest.raises(ValueError, match="larger"):
        response_of(app)


def test_file_may_be_wrapped_again_by_a_middleware() -> None:
    def app(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
        start_response("200 OK", TEXT)
        return (chunk.upper() for chunk in environ["wsgi.file_wrapper"](io.BytesIO(b"abcdef"), 4))

    assert response_of(app).body == b"ABCDEF"


@pytest.mark.parametrize(
    "request_parts",
    [
        {},
        {"method": "HEAD"},
        {"target": "/%E2%82%AC?q=%20"},
        {"method": "POST", "body": b"hi", "headers": [("content-length", "2"), ("content-type", "text/plain")]},
        {"headers": [], "version": "1.0"},
        {"headers": [("host", "[::1]:80"), ("cookie", "a=1"), ("cookie", "b=2"), ("x_y", "1")]},
    ],
)
def test_satisfies_wsgiref_validate(request_parts: dict[str, Any]) -> None:
    def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        environ["wsgi.input"].read(-1)
        environ["wsgi.errors"].write("")
        start_response("200 OK", TEXT)
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [b"fine"]

    assert response_of(validator(app), **request_parts).status == 200


def test_tells_wsgi_applications_from_others() -> None:
    class Application:
        def __call__(self, environ: dict[str, Any], start_response: Start) -> list[bytes]:
            return []

    async def asgi(scope: object, receive: object, send: object) -> None: ...

    assert is_wsgi(answering([])) and is_wsgi(Application())
    assert not is_wsgi(asgi) and not is_wsgi(lambda request: None) and not is_wsgi("app")
