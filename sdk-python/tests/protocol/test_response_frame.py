"""What may be answered, and how it looks on the wire."""

import json
from typing import Any

import pytest
from any_machine import on_any_machine
from handoff_worker import Response
from handoff_worker.protocol import response_frame
from handoff_worker.protocol.response_frame import Pairs, response_head
from hypothesis import given
from hypothesis import strategies as st


def decoded(head: bytes) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(head[8:])
    return message


names = st.from_regex(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,10}", fullmatch=True)
controls = "".join(map(chr, [*range(0x09), *range(0x0A, 0x20), 0x7F]))
values = st.text(st.characters(max_codepoint=0xFF, exclude_characters=controls), max_size=20)


@on_any_machine
@given(
    st.integers(1, 2**53 - 1),
    st.integers(200, 599),
    st.lists(st.tuples(names, values), max_size=4),
    st.integers(0, 2**32 - 1),
    st.none() | values.filter(bool),
)
def test_says_what_it_was_given(
    request_id: int, status: int, headers: list[tuple[str, str]], body_bytes: int, reason: str | None
) -> None:
    for _ in range(2):  # made, and bounded_cache
        head = response_head(request_id, status, headers, body_bytes, reason)
        assert int.from_bytes(head[:4], "big") == len(head) - 8
        assert int.from_bytes(head[4:8], "big") == body_bytes
        expected: dict[str, Any] = {"type": "response", "id": request_id, "status": status}
        if reason is not None:
            expected["reason"] = reason
        if headers:
            expected["headers"] = [list(pair) for pair in headers]
        assert decoded(head) == expected


def test_remembers_only_so_many_heads() -> None:
    for i in range(2 * response_frame.MOST_CACHED):
        response_head(1, 200, (("etag", str(i)),), 0, None)
        assert len(response_frame._texts) <= response_frame.MOST_CACHED


def test_does_not_remember_long_heads() -> None:
    pairs: Pairs = (("x", "y" * (response_frame.MOST_CACHED_CHARACTERS + 1)),)
    response_head(1, 200, pairs, 0, None)
    assert (200, pairs, None) not in response_frame._texts


def test_refuses_more_than_a_thousand_headers() -> None:
    assert response_head(1, 200, [("a", "")] * 1000, 0, None)
    with pytest.raises(ValueError, match="there are 1001 headers, and the core takes 1000 at most"):
        response_head(1, 200, [("a", "")] * 1001, 0, None)
    with pytest.raises(ValueError, match="there are 1001 headers"):
        response_frame.switch_head(1, [("a", "")] * 1001)


def test_refuses_more_headers_than_the_core_takes() -> None:
    response_head(1, 200, [("x", "y" * (response_frame.MOST_HEAD_CHARACTERS - 60))], 0, None)
    with pytest.raises(ValueError, match="the headers have"):
        response_head(1, 200, [("x", "y" * response_frame.MOST_HEAD_CHARACTERS)], 0, None)


@pytest.mark.parametrize("status", [199, 600, 0, -1])
def test_refuses_a_status_that_no_response_has(status: int) -> None:
    with pytest.raises(ValueError, match=str(status)):
        Response("x", status)
    with pytest.raises(ValueError, match=str(status)):
        response_head(1, status, (), 0, None)


def test_refuses_a_status_that_only_equals_one_it_remembers() -> None:
    response_head(1, 203, (), 0, None)
    with pytest.raises(ValueError, match=r"203\.0"):
        response_head(1, 203.0, (), 0, None)  # type: ignore[arg-type]


def test_a_refusal_follows_from_no_other_exception() -> None:
    with pytest.raises(ValueError, match="600") as refusal:
        response_head(1, 600, (), 0, None)
    assert refusal.value.__context__ is None


@pytest.mark.parametrize("value", ["a\r\nb: c", "a\nb", "a\rb", "a\0", "a\x01", "a\x1f", "a\x7f"])
def test_refuses_a_line_break_in_a_header_and_names_it(value: str) -> None:
    with pytest.raises(ValueError, match="x-broken"):
        Response("x", headers={"x-broken": value})
    with pytest.raises(ValueError, match="x-broken"):
        Response("x").add_header("x-broken", value)
    with pytest.raises(ValueError, match="x-broken"):
        response_head(1, 200, (("x-broken", value),), 0, None)


@pytest.mark.parametrize("name", ["", "a b", "a:", "ä", "a\r\n"])
def test_refuses_a_header_name_that_is_no_token(name: str) -> None:
    with pytest.raises(ValueError, match="token"):
        Response("x", headers={name: "x"})


def test_takes_octets_and_refuses_what_is_beyond() -> None:
    Response("x", headers={"x-name": "caf\u00e9"})
    with pytest.raises(ValueError, match="x-name"):
        Response("x", headers={"x-name": "\u20ac"})


def test_refuses_a_header_that_is_no_text() -> None:
    with pytest.raises(TypeError, match="x-count"):
        Response("x", headers={"x-count": 3})  # type: ignore[dict-item]


def test_the_content_type_follows_the_body_unless_it_is_given() -> None:
    assert Response("x").headers == (("content-type", "text/plain; charset=utf-8"),)
    assert Response(b"x").headers == (("content-type", "application/octet-stream"),)
    assert Response().headers == ()
    assert Response.json([1]).headers == (("content-type", "application/json"),)
    assert Response("x", headers={"Content-Type": "text/html"}).headers == (("Content-Type", "text/html"),)
    both = Response.json([1], headers=[("x", "1"), ("x", "2")])
    assert both.headers == (("content-type", "application/json"), ("x", "1"), ("x", "2"))


def test_json_is_compact_utf_8() -> None:
    response = Response.json({"name": "Zoë", "list": [1, None, True]}, status=201)
    assert (response.status, response.body) == (201, '{"name":"Zoë","list":[1,null,true]}'.encode())


@pytest.mark.parametrize("value", [object(), {1, 2}])
def test_json_refuses_what_has_no_form_in_it(value: object) -> None:
    with pytest.raises(TypeError):
        Response.json(value)


@pytest.mark.parametrize("body", [None, 3, {"a": 1}])
def test_refuses_a_body_that_is_neither_text_nor_bytes(body: object) -> None:
    with pytest.raises(TypeError, match=type(body).__name__):
        Response(body)  # type: ignore[arg-type]


def cookie(**attributes: Any) -> str:
    response = Response()
    response.set_cookie("id", "a1", **attributes)
    ((name, value),) = response.headers
    assert name == "set-cookie"
    return value


def test_a_cookie_is_closed_to_scripts_and_other_sites_unless_it_is_opened() -> None:
    assert cookie() == "id=a1; Path=/; SameSite=Lax; HttpOnly"
    opened = cookie(max_age=60, path="/a", domain="example.org", secure=True, http_only=False, same_site="None")
    assert opened == "id=a1; Path=/a; Domain=example.org; SameSite=None; Max-Age=60; Secure"
    assert cookie(same_site=None, http_only=False) == "id=a1; Path=/"


@pytest.mark.parametrize("value", ["a b", 'a"b', "a,b", "a;b", "a\\b", "a\r\nb", "\u00e4"])
def test_a_cookie_refuses_what_it_cannot_hold(value: str) -> None:
    with pytest.raises(ValueError, match="theme"):
        Response().set_cookie("theme", value)


def test_a_cookie_refuses_attributes_that_end_it() -> None:
    with pytest.raises(ValueError, match="Path"):
        cookie(path="/; Domain=evil.example")
    with pytest.raises(ValueError, match="token"):
        Response().set_cookie("a b", "c")
    with pytest.raises(ValueError, match="secure"):
        cookie(same_site="None")
