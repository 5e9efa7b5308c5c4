"""Requests that every framework is asked, and what counts as the same response."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

Fields = list[tuple[str, str]]

HOST = "example.org"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=cut"
UPLOAD = (
    b'--cut\r\nContent-Disposition: form-data; name="note"\r\n\r\nhow do\r\n'
    b'--cut\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n'
    b"Content-Type: application/octet-stream\r\n\r\n" + bytes(range(256)) + b"\r\n"
    b'--cut\r\nContent-Disposition: form-data; name="file"; filename="\xc3\xbc.txt"\r\n'
    b"Content-Type: text/plain\r\n\r\n" + b"x" * 300_000 + b"\r\n--cut--\r\n"
)
LARGE = bytes(range(256)) * 4096

BY_THE_SERVER = ("date", "server", "connection", "keep-alive")
"""Headers that come from whoever serves, and not from the application."""


@dataclass(frozen=True)
class Case:
    name: str
    target: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    chunked: bool = False
    """Whether the client frames the body in chunks; the application should not notice."""

    @property
    def all_headers(self) -> Fields:
        return [("Host", HOST), *self.headers]


@dataclass(frozen=True)
class GivenResponse:
    status: int
    headers: Fields
    body: bytes

    @staticmethod
    def of(status: int, headers: Fields, body: bytes) -> "GivenResponse":
        """What the application meant: its headers in order, and the body. Names have no case, and methods no order."""
        pairs = [(name.lower(), value) for name, value in headers]
        pairs = [(name, ", ".join(sorted(value.split(", "))) if name == "allow" else value) for name, value in pairs]
        return GivenResponse(
            status,
            [pair for pair in pairs if pair[0] not in (*BY_THE_SERVER, "content-length", "transfer-encoding")],
            body,
        )


def echo(
    method: str, path: str, query: list[tuple[str, str]], headers: dict[str, str], cookies: dict[str, str], body: bytes
) -> dict[str, Any]:
    """
    What an application tells that it has got.

    Values of a header that came twice are taken apart, since servers may join them with or without a blank; the length of an
    empty body is left out, since test clients don't say it.
    """
    kept = {
        name: [value.strip() for value in headers[name].split(",")]
        for name in ("host", "content-type", "content-length", "x-one", "x-twice", "x-empty", "x-latin")
        if name in headers and (name, headers[name]) != ("content-length", "0")
    }
    return {
        "method": method,
        "path": path,
        "query": query,
        "headers": kept,
        "cookies": cookies,
        "body": [len(body), sha256(body).hexdigest()],
    }


CASES = [
    Case("plain", "/echo"),
    Case("HEAD", "/echo", "HEAD"),
    Case("OPTIONS", "/echo", "OPTIONS"),
    Case("method_of_its_own", "/echo", "PURGE"),
    Case("query", "/echo?a=1&a=2&b=&c&d=%20+x&%E2%82%AC=%E2%82%AC&e=%2526&=f&&"),
    Case("query_that_is_empty", "/echo?"),
    Case("query_with_question_mark", "/echo?a=?/&b=:@!$'()*,;"),
    Case("query_not_utf_8", "/echo?a=%FF"),
    Case("path_of_unicode", "/path/%E2%82%AC/%C3%BC"),
    Case("path_with_slash", "/path/a%2Fb"),
    Case("path_with_percent", "/path/100%25%2B%3F"),
    Case("path_with_blank_and_plus", "/path/a%20b+c"),
    Case("path_not_utf_8", "/path/%FF"),
    Case("path_with_slashes", "/path//a///b"),
    Case("path_with_marks", "/path/~a;b=c,d:@!$&'()*"),
    Case("header", "/echo", headers=(("X-One", "a  b"), ("X-Empty", ""))),
    Case("header_of_octets", "/echo", headers=(("X-Latin", "caf\u00e9"),)),
    Case("header_twice", "/echo", headers=(("X-Twice", "a"), ("X-Twice", "b"))),
    Case("cookies", "/echo", headers=(("Cookie", 'a=1; b="q s"; c='),)),
    Case("post_form", "/echo", "POST", (("Content-Type", FORM),), b"a=1&b=%E2%82%AC"),
    Case("post_json", "/echo", "POST", (("Content-Type", "application/json"),), b'{"a": "\\u20ac"}'),
    Case("post_binary", "/echo", "POST", (("Content-Type", "application/octet-stream"),), bytes(range(256))),
    Case("post_nothing", "/echo", "POST", (), b""),
    Case("post_large", "/echo", "POST", (("Content-Type", "application/octet-stream"),), LARGE),
    Case("post_chunked", "/echo", "POST", (("Content-Type", "text/plain"),), b"in parts", chunked=True),
    Case("put", "/echo", "PUT", (("Content-Type", "text/plain"),), b"put"),
    Case("patch", "/echo", "PATCH", (("Content-Type", "text/plain"),), b"patch"),
    Case("delete", "/echo", "DELETE", (("Content-Type", "text/plain"),), b"delete"),
    Case("upload", "/upload", "POST", (("Content-Type", MULTIPART),), UPLOAD),
    Case("binary", "/binary"),
    Case("large", "/large"),
    Case("nothing", "/nothing"),
    Case("no_content", "/no-content"),
    Case("set_cookies", "/set-cookies"),
    Case("same_header_twice", "/twice"),
    Case("response_with_header_of_octets", "/latin"),
    Case("redirect", "/redirect"),
    Case("teapot", "/teapot"),
    Case("stream", "/stream"),
    Case("stream_HEAD", "/stream", "HEAD"),
    Case("file", "/file"),
    Case("file_HEAD", "/file", "HEAD"),
    Case("file_range", "/file", headers=(("Range", "bytes=2-4"),)),
    Case("file_not_modified", "/file", headers=(("If-Modified-Since", "Fri, 31 Dec 2100 23:59:59 GMT"),)),
    Case("missing", "/missing"),
    Case("exception", "/exception"),
]
