"""Bodies that break off in the middle of what a proxy passes on."""

import contextlib
import ssl
from concurrent.futures import ThreadPoolExecutor

from behind.client import NAME, Site

# Caddy 2.6.2 ends with all its connections when a 100 of ours comes after its own 502, so none may be asked of us.
EXPECTS_AND_BREAKS = (
    f"POST /broken HTTP/1.1\r\nHost: {NAME}\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
    "5\r\nabcdeXX0\r\n\r\n"
).encode()


def test_a_broken_chunk_behind_an_expectation_ends_no_proxy(site: Site) -> None:
    def send(_: int) -> None:
        # The proxy may close before it has read or said everything; what counts is that it serves others.
        with contextlib.suppress(ConnectionError, TimeoutError, ssl.SSLError):
            site.exchange(EXPECTS_AND_BREAKS)

    with ThreadPoolExecutor(8) as clients:
        list(clients.map(send, range(400)))

    assert site.ask("GET", "/after").json()["target"] == "/after"


def test_an_expectation_is_met_and_the_body_arrives(site: Site) -> None:
    with site.connect() as connected:
        connected.sendall(
            f"POST /expected HTTP/1.1\r\nHost: {NAME}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n"
            "Connection: close\r\n\r\n".encode()
        )
        assert connected.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connected.sendall(b"hello")
        told = b"".join(iter(lambda: connected.recv(65536), b""))
    assert told.startswith(b"HTTP/1.1 200 ")
    assert b"/expected" in told
