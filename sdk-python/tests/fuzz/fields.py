"""
Properties of what is read from header fields: lines of one name are joined, in order. Cookies, parameters and the text of a
body are read, or refused by `BadRequest`, whatever came. A parameter is one or refused. One that was quoted is what it was before, and
a cookie that was set comes back.
"""

from contextlib import suppress

from handoff_worker import BadRequest, Request, Response
from handoff_worker.plain.headers import Headers, parameter, split_parameters

from fuzz.inputs import lines, request_of

NAMES = ("charset", "boundary", "a", "filename")

MOST_LINES = 5
"""That are looked at by themselves, so that an input of many stays quick."""


def read(data: bytes) -> None:
    exchange, fields = request_of(data)
    request = Request(exchange)
    _ = request.cookies
    with suppress(BadRequest):
        request.text()
    for _, value in fields:
        with suppress(ValueError):
            parameter(value, "charset")


def holds(data: bytes) -> None:
    exchange, fields = request_of(data)
    request = Request(exchange)
    _headers_are_joined(request.headers, fields)
    _cookies_are_some_of_those_sent(request)
    with suppress(BadRequest):
        assert isinstance(request.text(), str)
    for line in lines(data)[:MOST_LINES]:
        _parts_are_the_whole(line)
        _quoted_is_read_as_before(line)
        _cookie_comes_back(line)


def _headers_are_joined(headers: Headers, fields: list[tuple[str, str]]) -> None:
    assert headers.pairs() == fields
    assert list(headers) == list(dict(fields))
    for name in headers:
        values = [value for each, value in fields if each == name]
        assert headers.all(name.upper()) == values
        assert headers[name.upper()] == ("; " if name == "cookie" else ", ").join(values)


def _cookies_are_some_of_those_sent(request: Request) -> None:
    sent = request.headers.get("cookie", "")
    for name, value in request.cookies.items():
        assert ";" not in name + value and "=" not in name
        assert name in sent and value in sent


def _parts_are_the_whole(text: str) -> None:
    parts = split_parameters(text)
    assert "".join(";".join(parts).split()) == "".join(text.split()), "a part was lost"
    for name in NAMES:
        with suppress(ValueError):
            found = parameter(text, name)
            assert found is None or len(found) < len(text)


def _quoted_is_read_as_before(text: str) -> None:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    assert parameter(f'text/plain; x="{quoted}"; charset="{quoted}" ; y=1', "Charset") == text


def _cookie_comes_back(text: str) -> None:
    name, _, value = text.partition("=")
    response = Response()
    with suppress(ValueError):
        response.set_cookie(name, value)
        sent = response.headers[-1][1].partition(";")[0]
        assert Request(request_of(f"GET\n/\ncookie: {sent}".encode("latin-1"))[0]).cookies == {name: value}
