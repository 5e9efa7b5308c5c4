"""Heads of requests and headers of responses: as they usually are, and a little otherwise."""

import json
import random
from typing import Any

from hypothesis import strategies as st

USUAL_NAMES = ["host", "user-agent", "accept", "cookie", "sec-ch-ua", "content-type", "content-length", "x-a", "x_a"]
HOSTS = ["example.org", "example.org:8080", "[::1]:80", "127.0.0.1:8080", "", "a:b"]
CLIENTS = ["203.0.113.9:51324", "[2001:db8::1]:51324", "unix:0", "127.0.0.1:0"]

# What a mutation puts in: signs of JSON, of the protocol, and bytes that are no ASCII.
PARTS = [
    b'"',
    b"\\",
    b'\\"',
    b"\\\\",
    b"\\u0041",
    b",",
    b'","',
    b"[",
    b"]",
    b"[]",
    b"{",
    b"}",
    b":",
    b" ",
    b"%",
    b"?",
    b"/",
]
PARTS += [
    b"0",
    b"9" * 17,
    b"-1",
    b"1.0",
    b"null",
    b"true",
    b"\x00",
    b"\x1f",
    b"\x7f",
    b"\x80",
    b"\xc3\xa4",
    b"\xff" * 9,
]
PARTS += [
    b'"more":true',
    b',"more":true',
    b',"websocket":[]',
    b',"scheme":"https"',
    b',"prefix":"/a"',
    b"host",
    b"x" * 8,
]
PARTS += [
    b"\x00\x00\x00\x00",
    b"\xff\xff\xff\xff",
    b"_",
    b"*",
    b'["x-a","1"],',
    b'["host","b"],',
    b"a" * 1100,
    b'\\"' * 99,
]


def text_of(head: dict[str, Any], compact: bool = True) -> bytes:
    """As the core writes it, which escapes no characters past ASCII."""
    return json.dumps(head, separators=(",", ":") if compact else None, ensure_ascii=False).encode()


def head(**keys: Any) -> dict[str, Any]:
    """In the order of the core, and without the keys that are None."""
    usual: dict[str, Any] = {
        "type": "request",
        "id": 7,
        "timeoutMillis": 30000,
        "method": "GET",
        "target": "/a/b?c=%20&d",
        "version": "1.1",
        "headers": [["host", "example.org:8080"], ["accept", "*/*"], ["cookie", 'a="b\\c"']],
        "client": "203.0.113.9:51324",
        "scheme": None,
        "prefix": None,
        "clientCertificate": None,
        "requestId": "01J9",
    }
    return {key: value for key, value in {**usual, **keys}.items() if value is not None}


visible = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=30)
octets = st.text(st.characters(max_codepoint=0xFF), max_size=30)
targets = st.one_of(st.just("*"), st.text("/ab?%.&=*", max_size=12).map("/".__add__), visible)
fields = st.lists(
    st.one_of(
        st.tuples(st.just("host"), st.sampled_from(HOSTS)),
        st.tuples(st.sampled_from(USUAL_NAMES), st.one_of(visible, octets)),
        st.tuples(st.text("abcX-_:0", min_size=1, max_size=40), visible),
    ).map(list),
    max_size=8,
)
heads = st.builds(
    head,
    id=st.integers(1, 2**53 - 1),
    timeoutMillis=st.integers(0, 2**53 - 1),
    method=st.sampled_from(["GET", "POST", "post", "M-SEARCH"]),
    target=targets,
    version=st.sampled_from(["1.1", "1.1", "1.0", "2"]),
    headers=fields,
    client=st.sampled_from(CLIENTS),
    scheme=st.sampled_from([None, None, "http", "https", "ftp"]),
    prefix=st.sampled_from([None, None, "/a", "/%41", ""]),
    clientCertificate=st.sampled_from([None, None, None, "MAA="]),
    requestId=st.sampled_from([None, "01J9", "x" * 128]),
    websocket=st.sampled_from([None, None, None, []]),
    more=st.sampled_from([None, None, None, True, False]),
)


def mutated(data: bytes, chance: random.Random) -> bytes:
    """A few small changes, each at any place."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 5))):
        place = chance.randrange(len(data) + 1)
        other = chance.randrange(len(data) + 1)
        begin, end = min(place, other), max(place, other)
        match chance.randrange(6):
            case 0:
                data = data[:place] + chance.choice(PARTS) + data[place:]
            case 1:
                data = data[:place] + chance.choice(PARTS) + data[place + 1 :]
            case 2:
                data = data[:place] + bytes([chance.randrange(256)]) + data[place + 1 :]
            case 3:
                data = data[:begin] + data[min(end, begin + 8) :]
            case 4:
                data = data[:end] + data[begin:end][:200] + data[end:]
            case _:
                data = data[:place] + data[place + 1 :]
    return data
