"""What a handler can ask a request."""

import encodings
from typing import Any

import pytest
from handoff_worker import BadRequest, Request
from recorded import Outbox, exchange


def request(target: str = "/", headers: list[tuple[str, str]] | None = None, body: bytes = b"", **keys: Any) -> Request:
    return Request(exchange(Outbox(), target=target, headers=headers, body=body, **keys))


@pytest.mark.parametrize(
    ("target", "path", "query"),
    [
        ("/", "/", ""),
        ("/a/b?c=d?e", "/a/b", "c=d?e"),
        ("/caf%C3%A9%20x", "/café x", ""),
        ("/%FF", "/\ufffd", ""),
        ("/a%2Fb", "/a/b", ""),
        ("/a+b", "/a+b", ""),
        ("*", "*", ""),
    ],
)
def test_the_path_is_decoded_and_the_target_is_not(target: str, path: str, query: str) -> None:
    asked = request(target)
    assert (asked.path, asked.query_string, asked.target) == (path, query, target)
    assert asked.raw_path == target.partition("?")[0]


def test_knows_its_scheme_and_its_prefix() -> None:
    found = request("/%61pp/x", scheme="https", prefix="/%61pp")
    assert (found.scheme, found.prefix, found.path) == ("https", "/%61pp", "/app/x")
    assert (request().scheme, request().prefix) == ("http", "")


def test_its_text_for_logs_has_no_query() -> None:
    assert repr(request("/a?token=S3CRET")) == "<Request GET /a>"


def test_the_query_has_one_value_or_many() -> None:
    query = request("/?a=1&b=%C3%A9+x&a=2&empty=&alone").query
    assert query["a"] == "1"
    assert query.all("a") == ["1", "2"]
    assert query["b"] == "é x"
    assert (query["empty"], query["alone"], query.get("missing")) == ("", "", None)
    assert list(query) == ["a", "b", "empty", "alone"]
    assert query.all("missing") == []


def test_a_query_of_too_many_parameters_is_a_bad_request() -> None:
    assert len(request("/?" + "&".join(f"a{i}" for i in range(1000))).query) == 1000
    with pytest.raises(BadRequest):
        _ = request("/?" + "&".join(f"a{i}" for i in range(1001))).query


def test_headers_are_found_in_any_letter_case() -> None:
    headers = request(
        headers=[("x-a", "1"), ("accept", "a"), ("x-a", "2"), ("cookie", "a=1"), ("cookie", "b=2")]
    ).headers
    assert headers["X-A"] == "1, 2"
    assert headers.all("X-a") == ["1", "2"]
    assert headers["Cookie"] == "a=1; b=2"
    assert "ACCEPT" in headers and "host" not in headers
    assert headers.get("none") is None
    assert headers.pairs()[0] == ("x-a", "1")


@pytest.mark.parametrize(
    ("charset", "body"),
    [
        ("utf-8", "é".encode()),
        (" UTF8", "é".encode()),
        ('"latin-1"', b"\xe9"),
        ("ISO-8859-1", b"\xe9"),
        ("windows-1252", b"\xe9"),
        ("utf-16", b"\xff\xfe\xe9\x00"),
        ("utf-16le", b"\xe9\x00"),
        ("utf-16be", b"\x00\xe9"),
    ],
)
def test_text_is_in_the_charset_that_is_named(charset: str, body: bytes) -> None:
    assert text_of(charset, body) == "é"


def text_of(charset: str, body: bytes) -> str:
    return request(headers=[("content-type", f"text/plain; charset={charset}")], body=body).text()


def test_text_is_utf_8_where_no_charset_is_named() -> None:
    assert request(body="é".encode()).text() == "é"


@pytest.mark.parametrize(("charset", "body"), [("utf-8", b"\xe9"), ("us-ascii", b"\xe9"), ("utf-16le", b"x")])
def test_text_that_is_none_in_its_charset_is_a_bad_request(charset: str, body: bytes) -> None:
    with pytest.raises(BadRequest, match=f"not text in {charset}"):
        text_of(charset, body)


@pytest.mark.parametrize(
    "charset", ["punycode", "idna", "undefined", "utf-7", "unicode_escape", "zip", "mbcs", "x" * 9000]
)
def test_a_client_cannot_name_a_codec_of_pythons(charset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Each unknown name would stay in encodings._cache for good.
    monkeypatch.setattr(encodings, "_cache", {})
    with pytest.raises(BadRequest, match="is none of utf-8"):
        text_of(charset, b"abc-")
    assert not encodings._cache  # type: ignore[attr-defined]


@pytest.mark.parametrize("charset", ["utf-8; charset=latin-1", "utf-8; x=y; CHARSET=utf-8"])
def test_text_with_two_charsets_is_a_bad_request(charset: str) -> None:
    with pytest.raises(BadRequest, match="two parameters charset"):
        text_of(charset, b"a")


def test_json_is_the_value_of_the_body() -> None:
    assert request(body=b' {"a": [1, 2.5, null]} ').json() == {"a": [1, 2.5, None]}
    for body in (b"", b"{", b"\xff", b"NaN", b"[" * 100_000, b"1" * 4301):
        with pytest.raises(BadRequest):
            request(body=body).json()


def test_of_cookies_with_one_name_the_first_counts() -> None:
    cookies = request(headers=[("cookie", 'a=1; b="2"; a=3; no-value; c=x=y')]).cookies
    assert cookies == {"a": "1", "b": "2", "c": "x=y"}


def test_knows_who_asks_and_how_long_they_wait() -> None:
    asked = request(client="[::1]:4711", version="1.0", requestId="01J9", method="PURGE")
    assert (asked.client, asked.version, asked.id, asked.method) == ("[::1]:4711", "1.0", "01J9", "PURGE")
    assert 0 < asked.seconds_left <= 30
    assert asked.cancelled is None


def test_a_cancel_is_told_once_and_also_to_who_asks_late() -> None:
    cancelled = exchange(Outbox())
    reasons: list[str] = []
    Request(cancelled).on_cancel(reasons.append)
    cancelled.cancel("deadline")
    cancelled.cancel("client_gone")
    Request(cancelled).on_cancel(reasons.append)
    assert reasons == ["deadline", "deadline"]
    assert Request(cancelled).cancelled == "deadline"


def test_a_request_is_answered_once() -> None:
    outbox = Outbox()
    asked = exchange(outbox)
    asked.answer(200, (), b"x")
    asked.fail("too late")
    with pytest.raises(RuntimeError, match="has a response already"):
        asked.answer(200, (), b"y")
    assert outbox.only.body == b"x"


def test_what_cannot_be_sent_leaves_the_request_unanswered() -> None:
    outbox = Outbox(body_limit=3)
    asked = exchange(outbox)
    for status, headers, body in ((99, (), b""), (200, (("a", "\n"),), b""), (200, (), b"long")):
        with pytest.raises(ValueError):
            asked.answer(status, headers, body)
    asked.answer(200, (), b"fit")
    assert outbox.only.body == b"fit"
