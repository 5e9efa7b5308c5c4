"""Messages that two readers could end in different places."""

import pytest
from behind.client import NAME, Site
from behind.server import Handoff

INNER = f"GET /smuggled HTTP/1.1\r\nHost: {NAME}\r\n\r\n"

AMBIGUOUS = {
    "ends by length, its chunks by a request": (
        f"POST /outer HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\nContent-Length: 4\r\n"
        f"Transfer-Encoding: chunked\r\n\r\n{len(INNER):x}\r\n{INNER}\r\n0\r\n\r\n"
    ),
    "a coding that only one of two understands": (
        f"POST /outer HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\nContent-Length: 4\r\n"
        f"Transfer-Encoding: xchunked\r\n\r\n{len(INNER):x}\r\n{INNER}\r\n0\r\n\r\n"
    ),
    "two lengths": (
        f"POST /outer HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\nContent-Length: {len(INNER)}\r\n"
        f"Content-Length: 0\r\n\r\n{INNER}"
    ),
    "a space before the colon": (
        f"POST /outer HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\nContent-Length : {len(INNER)}\r\n\r\n{INNER}"
    ),
}


@pytest.mark.parametrize("message", AMBIGUOUS.values(), ids=AMBIGUOUS.keys())
def test_no_request_is_smuggled_to_the_handler(site: Site, handoff: Handoff, message: str) -> None:
    before = len(handoff.requests_seen())

    site.exchange(message.encode())
    assert site.ask("GET", "/after").json()["target"] == "/after"

    assert "GET /smuggled" not in handoff.requests_seen()[before:]


def test_what_follows_the_last_chunk_is_answered_to_who_sent_it_or_not_at_all(site: Site, handoff: Handoff) -> None:
    """With a Content-Length beside the chunks, which would make it part of the body: nobody else gets the answer."""
    before = len(handoff.requests_seen())

    told = site.exchange(
        f"POST /outer HTTP/1.1\r\nHost: {NAME}\r\nContent-Length: {5 + len(INNER)}\r\n"
        f"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\n\r\n".encode()
    )
    assert site.ask("GET", "/after").json()["target"] == "/after"

    assert handoff.requests_seen()[before + told.count(b"HTTP/1.1 200 ") :] == ["GET /after"]
