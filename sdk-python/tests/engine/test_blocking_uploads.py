"""Requests in pieces for code that blocks, with the test as the core: WSGI applications and plain functions."""

import hashlib
import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import Any

import pytest
from handoff_worker import Request, Response
from handoff_worker.protocol.connection import End
from handoff_worker.protocol.request_body import CREDIT_BYTES
from handoff_worker.wsgi.application import WsgiApplication
from played_core import PATIENCE
from running import Run, running

Start = Callable[..., Callable[[bytes], None]]
Read = Callable[[int], bytes]
Deed = Callable[[Read], Iterable[bytes]]

CONCURRENCY = 16
PIECE_BYTES = 64 * 1024
LARGE = bytes(range(256)) * 4096 * 3
THREADS = pytest.mark.parametrize("threads", [1, 3])


def wsgi(deed: Deed) -> WsgiApplication:
    """Calls `deed` with what reads so many bytes of the body, and answers what it returns."""

    def app(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
        body = deed(environ["wsgi.input"].read) if environ["REQUEST_METHOD"] == "POST" else [b"small"]
        start_response("200 OK", [])
        return body

    return WsgiApplication(app, "app", multithread=True)


def plain(deed: Deed) -> Callable[[Request], Response]:
    def handler(request: Request) -> Response:
        if request.method != "POST":
            return Response("small")
        pieces = iter(request.stream())
        kept = b""

        def read(count: int) -> bytes:
            nonlocal kept
            while len(kept) < count:
                piece = next(pieces, b"")
                if not piece:
                    break
                kept += piece
            given, kept = kept[:count], kept[count:]
            return given

        body = deed(read)
        return Response(b"".join(body) if isinstance(body, list) else body)

    return handler


KINDS = pytest.mark.parametrize("kind", [wsgi, plain])
Kind = Callable[[Deed], Any]


def digest(read: Read) -> list[bytes]:
    found = hashlib.sha256()
    while part := read(10_000):
        found.update(part)
    return [found.hexdigest().encode()]


def held(run: Run, upload: int) -> int:
    """The bytes that wait for the application."""
    return sum(map(len, run.engine.connection._incoming[upload].pieces._pieces))


@KINDS
@THREADS
@pytest.mark.parametrize("piece_bytes", [PIECE_BYTES, 100_000, 999])
def test_a_large_body_arrives_whole(kind: Kind, threads: int, piece_bytes: int) -> None:
    with running(kind(digest), CONCURRENCY, threads) as run:
        run.core.greet()
        for _ in range(2):
            response = run.core.upload(LARGE, piece_bytes=piece_bytes)
            assert response.body == hashlib.sha256(LARGE).hexdigest().encode()
        run.core.expect_pong()
        assert run.engine.connection._incoming == {} and run.engine.connection.in_flight == {}


@KINDS
@THREADS
def test_pieces_of_one_byte_make_the_same_body(kind: Kind, threads: int) -> None:
    with running(kind(lambda read: [read(4000)]), CONCURRENCY, threads) as run:
        run.core.greet()
        assert run.core.upload(LARGE[:3000], piece_bytes=1).body == LARGE[:3000]


@KINDS
@THREADS
def test_the_handler_begins_with_the_head(kind: Kind, threads: int) -> None:
    begun = threading.Event()

    def deed(read: Read) -> list[bytes]:
        begun.set()
        return digest(read)

    with running(kind(deed), CONCURRENCY, threads) as run:
        run.core.greet()
        upload = run.core.begin_upload()
        assert begun.wait(PATIENCE)
        assert run.core.send_rest(upload, b"body").body == hashlib.sha256(b"body").hexdigest().encode()


@KINDS
@THREADS
def test_the_response_may_come_before_the_body(kind: Kind, threads: int) -> None:
    """What still comes is dropped, and nothing is granted for it."""
    with running(kind(lambda read: [read(1)]), CONCURRENCY, threads) as run:
        run.core.greet()
        upload = run.core.begin_upload(first=b"x" * PIECE_BYTES)
        assert run.core.expect("response").body == b"x"
        for _ in range(3):
            run.core.send_piece(upload, b"y" * PIECE_BYTES)
            run.core.expect_pong()
        run.core.send_piece(upload, b"", more=False)
        assert run.engine.connection._incoming == {}
        run.core.request()
        assert run.core.expect("response").body == b"small"


@KINDS
@THREADS
def test_a_handler_that_does_not_read_holds_no_more_than_its_credit(kind: Kind, threads: int) -> None:
    gate = threading.Event()

    def deed(read: Read) -> list[bytes]:
        assert gate.wait(PATIENCE)
        return digest(read)

    with running(kind(deed), CONCURRENCY, threads) as run:
        run.core.greet()
        upload = run.core.begin_upload()
        while upload.credit > 0:
            run.core.send_piece(upload, LARGE[upload.sent : upload.sent + 60_000])
        run.core.expect_pong()  # and no credit before it
        assert held(run, upload.id) == upload.sent < CREDIT_BYTES + PIECE_BYTES
        gate.set()
        response = run.core.send_rest(upload, LARGE[upload.sent :])
        assert response.body == hashlib.sha256(LARGE).hexdigest().encode()


@KINDS
@THREADS
@pytest.mark.parametrize("reason", ["client_gone", "deadline", "drain"])
def test_a_cancel_wakes_who_waits_for_a_piece(
    kind: Kind, threads: int, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    waits = threading.Event()

    def deed(read: Read) -> list[bytes]:
        assert read(5) == b"begun"
        waits.set()
        return [read(1)]

    with running(kind(deed), CONCURRENCY, threads) as run:
        run.core.greet()
        upload = run.core.begin_upload(first=b"begun")
        assert waits.wait(PATIENCE)
        run.core.cancel(upload.id, reason)
        failure = run.core.expect("failure")
        assert failure.head["id"] == upload.id and reason in failure.head["message"]
        run.core.expect_pong()
        assert run.core.upload(b"begun and more").body == b" "
        assert run.engine.connection._incoming == {}
    assert caplog.records == [], "a client that leaves is no fault"


@KINDS
def test_the_error_may_be_caught_as_any_error_of_a_file(kind: Kind) -> None:
    waits, caught = threading.Event(), []

    def deed(read: Read) -> list[bytes]:
        waits.set()
        try:
            return [read(1)]
        except OSError as problem:
            caught.append(str(problem))
            return []

    with running(kind(deed)) as run:
        run.core.greet()
        upload = run.core.begin_upload()
        assert waits.wait(PATIENCE)
        run.core.cancel(upload.id)
        while (frame := run.core.receive()).type == "capacity":  # the machine may be slow
            pass
        assert frame.head["id"] == upload.id
    assert caught == ["the request was cancelled before its body was read: client_gone"]


@KINDS
@THREADS
def test_the_end_of_the_connection_wakes_who_waits_for_a_piece(kind: Kind, threads: int) -> None:
    waits, woken = threading.Event(), threading.Event()

    def deed(read: Read) -> list[bytes]:
        waits.set()
        try:
            return [read(1)]
        finally:
            woken.set()

    with running(kind(deed), CONCURRENCY, threads) as run:
        run.core.greet()
        run.core.begin_upload()
        assert waits.wait(PATIENCE)
        run.core.close()
        assert woken.wait(PATIENCE)
        assert run.await_end() is End.LOST


@KINDS
def test_two_uploads_and_small_requests_share_a_worker(kind: Kind) -> None:
    with running(kind(digest), CONCURRENCY, threads=3) as run:
        run.core.greet()
        uploads = [run.core.begin_upload(), run.core.begin_upload()]
        for number in range(40):
            for upload in uploads:
                while upload.credit <= 0:
                    frame = run.core.expect("credit")
                    next(each for each in uploads if each.id == frame.head["id"]).credit += frame.head["bytes"]
                run.core.send_piece(upload, bytes([number]) * 30_000)
            if number % 10 == 5:
                request = run.core.request()
                while (frame := run.core.receive()).type != "response":
                    if frame.type == "credit":
                        next(each for each in uploads if each.id == frame.head["id"]).credit += frame.head["bytes"]
                assert (frame.head["id"], frame.body) == (request, b"small")
        expected = hashlib.sha256(b"".join(bytes([number]) * 30_000 for number in range(40))).hexdigest().encode()
        for upload in reversed(uploads):
            run.core.send_piece(upload, b"", more=False)
            while (frame := run.core.receive()).type != "response":
                assert frame.type in ("credit", "capacity")
            assert (frame.head["id"], frame.body) == (upload.id, expected)


@KINDS
def test_more_uploads_than_threads_take_turns(kind: Kind) -> None:
    with running(kind(digest), CONCURRENCY, threads=1) as run:
        run.core.greet()
        first, second = run.core.begin_upload(), run.core.begin_upload()
        run.core.send_piece(second, b"second")
        run.core.send_piece(second, b"", more=False)
        assert run.core.send_rest(first, b"first").body == hashlib.sha256(b"first").hexdigest().encode()
        assert run.core.expect("response").body == hashlib.sha256(b"second").hexdigest().encode()


@KINDS
def test_a_cancel_spares_an_upload_that_waits_for_a_thread(kind: Kind) -> None:
    with running(kind(digest), CONCURRENCY, threads=1) as run:
        run.core.greet()
        first, second = run.core.begin_upload(), run.core.begin_upload(first=b"x")
        run.core.cancel(second.id)
        assert run.core.expect("failure").head["message"] == "cancelled before it began: client_gone"
        assert list(run.engine.connection._incoming) == [first.id]
        assert run.core.send_rest(first, b"").type == "response"


@KINDS
def test_a_drain_gives_back_what_has_not_begun(kind: Kind) -> None:
    begun = threading.Event()

    def deed(read: Read) -> list[bytes]:
        begun.set()
        return digest(read)

    with running(kind(deed), CONCURRENCY, threads=1) as run:
        run.core.greet()
        first = run.core.begin_upload()
        assert begun.wait(PATIENCE)
        second = run.core.begin_upload(first=b"x")
        run.core.expect_pong()
        run.engine.leave()
        run.core.expect("drain")
        failure = run.core.expect("failure").head
        assert (failure["id"], failure["retry"]) == (second.id, True)
        assert run.core.send_rest(first, b"body").type == "response"


@KINDS
@THREADS
def test_the_response_may_come_in_pieces_while_the_request_does(kind: Kind, threads: int) -> None:
    def deed(read: Read) -> Iterator[bytes]:
        while part := read(PIECE_BYTES):
            yield part

    with running(kind(deed), CONCURRENCY, threads) as run:
        run.core.greet(stream_bytes=2**40)
        upload = run.core.begin_upload()
        came, answered = b"", False
        for start in range(0, len(LARGE), PIECE_BYTES):
            while upload.credit <= 0:
                frame = run.core.receive()
                if frame.type == "credit":
                    upload.credit += frame.head["bytes"]
                else:
                    came += frame.body
                    answered = answered or frame.type == "response"
            run.core.send_piece(upload, LARGE[start : start + PIECE_BYTES])
        assert answered
        run.core.send_piece(upload, b"", more=False)
        while True:
            frame = run.core.receive()
            came += frame.body
            if frame.type == "data" and "more" not in frame.head:
                break
        assert came == LARGE
        run.core.expect_pong()


def test_a_handler_that_waits_for_a_piece_gives_the_lead_away_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only when the watch has seen that it is held up."""
    monkeypatch.setattr("handoff_worker.engine.watch.HELD_UP_SECONDS", PATIENCE)
    for threads in (1, 2):
        with running(plain(digest), CONCURRENCY, threads) as run:
            run.core.greet()
            upload = run.core.begin_upload()
            assert run.core.send_rest(upload, b"body").body == hashlib.sha256(b"body").hexdigest().encode()


def test_wsgi_input_is_a_file() -> None:
    lines = b"one\ntwo\n\nfour\n" + b"x" * 100_000 + b"\nlast"
    found: list[Any] = []

    def app(environ: dict[str, Any], start_response: Start) -> list[bytes]:
        file = environ["wsgi.input"]
        assert (environ["CONTENT_LENGTH"], environ["wsgi.input_terminated"]) == (str(len(lines)), True)
        found.extend([file.readline(), file.readline(2), file.readline(), file.read(1), file.readlines(4)])
        found.extend(file)
        found.extend([file.read(), file.read(10), file.readline(), file.readlines()])
        start_response("200 OK", [])
        return []

    for piece_bytes in (1, 7, PIECE_BYTES):
        found.clear()
        with running(WsgiApplication(app, "app", multithread=False)) as run:
            run.core.greet()
            assert run.core.upload(lines, piece_bytes=piece_bytes).type == "response"
        expected = BytesIO(lines)
        assert found == [
            *[expected.readline(), expected.readline(2), expected.readline(), expected.read(1), expected.readlines(4)],
            *expected,
            *[b"", b"", b"", []],
        ]


@pytest.mark.parametrize("size", [(), (-1,), (None,), (len(LARGE),), (2**31,)])
def test_wsgi_input_is_read_as_a_whole(size: tuple[int | None, ...]) -> None:
    def app(environ: dict[str, Any], start_response: Start) -> list[bytes]:
        body = environ["wsgi.input"].read(*size)
        start_response("200 OK", [])
        return [hashlib.sha256(body).hexdigest().encode()]

    with running(WsgiApplication(app, "app", multithread=False)) as run:
        run.core.greet()
        assert run.core.upload(LARGE).body == hashlib.sha256(LARGE).hexdigest().encode()


def test_a_body_that_is_read_late_is_no_whole_one(caplog: pytest.LogCaptureFixture) -> None:
    """A thread that the application has left behind must not take a part for all."""
    files: list[Any] = []

    def app(environ: dict[str, Any], start_response: Start) -> list[bytes]:
        files.append(environ["wsgi.input"])
        start_response("200 OK", [])
        return []

    with running(WsgiApplication(app, "app", multithread=False)) as run:
        run.core.greet()
        run.core.begin_upload(first=b"part")
        run.core.expect("response")
        with pytest.raises(OSError, match="has its response"):
            files[0].read()


@THREADS
@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (lambda request: request.body, LARGE),
        (lambda request: request.text().encode("latin-1"), LARGE),
        (lambda request: b"".join(request.stream()), LARGE),
    ],
)
def test_a_function_waits_for_what_it_needs(threads: int, read: Callable[[Request], bytes], expected: bytes) -> None:
    def handler(request: Request) -> Response:
        content = read(request)
        return Response(hashlib.sha256(content).hexdigest() + ("" if request._is_streamed else request.body[:3].hex()))

    headers = [["content-type", "text/plain; charset=iso-8859-1"]]
    with running(handler, CONCURRENCY, threads) as run:
        run.core.greet()
        for body in (LARGE, LARGE[: 1024 * 1024]):
            response = run.core.upload(body, headers=headers)
            assert response.body.startswith(hashlib.sha256(body).hexdigest().encode())


def test_a_function_reads_forms_and_json_that_came_in_pieces() -> None:
    def handler(request: Request) -> Response:
        if request.path == "/json":
            return Response(str(len(request.json())))
        if request.path == "/fields":
            return Response(str(len(request.form["a"])))
        return Response(hashlib.sha256(request.form.files["file"].body).hexdigest())

    begin = b'--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n'
    with running(handler) as run:
        run.core.greet()
        form = begin + LARGE + b"\r\n--b--\r\n"
        response = run.core.upload(form, headers=[["content-type", "multipart/form-data; boundary=b"]])
        assert response.body == hashlib.sha256(LARGE).hexdigest().encode()
        assert run.core.upload(b'"' + b"x" * 2_000_000 + b'"', "/json").body == b"2000000"
        fields = [["content-type", "application/x-www-form-urlencoded"]]
        assert run.core.upload(b"a=" + b"x" * 100_000, "/fields", headers=fields, piece_bytes=999).body == b"100000"
        assert run.core.upload(b"{", "/json").head["status"] == 400


@pytest.mark.parametrize("size", [10, 2_000_000])
def test_a_stream_gives_the_body_away_however_large_it_is(size: int) -> None:
    """Else a handler would work until the first large body comes."""

    def handler(request: Request) -> Response:
        length = sum(map(len, request.stream()))
        problems = []
        for again in (lambda: request.body, request.json, lambda: request.form, request.text, request.stream):
            with pytest.raises(RuntimeError, match="given the body of this request away"):
                again()
            problems.append(1)
        return Response(f"{length} {len(problems)}")

    with running(handler) as run:
        run.core.greet()
        if size < 1000:
            run.core.request(body=b"x" * size)
            assert run.core.expect("response").body == b"%d 5" % size
        else:
            assert run.core.upload(b"x" * size).body == b"%d 5" % size


def test_the_body_may_be_streamed_once_it_was_joined() -> None:
    def handler(request: Request) -> Response:
        return Response(str(len(request.body) + sum(map(len, request.stream()))))

    with running(handler) as run:
        run.core.greet()
        assert run.core.upload(b"x" * 2_000_000).body == b"4000000"


def test_a_function_that_is_no_coroutine_iterates_without_async() -> None:
    def handler(request: Request) -> Response:
        pieces = request.stream().__aiter__()
        with pytest.raises(TypeError, match="by 'for'"):
            pieces.__anext__().send(None)
        return Response("")

    with running(handler) as run:
        run.core.greet()
        assert run.core.upload(b"x").type == "response"


def test_an_error_of_the_handlers_own_in_mid_body_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def deed(read: Read) -> list[bytes]:
        read(1)
        raise LookupError("mine")

    caplog.set_level(logging.ERROR)
    with running(wsgi(deed)) as run:
        run.core.greet()
        upload = run.core.begin_upload(first=b"x")
        assert run.core.expect("failure").head["message"] == "LookupError: mine"
        run.core.send_piece(upload, b"x" * 1000)
        run.core.expect_pong()
        assert run.engine.connection._incoming == {}
    assert len(caplog.records) == 1
