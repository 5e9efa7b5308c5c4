"""The faults: a short round of all of them, and that clients find what they are to find."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from faults.clients import CLOSED, CUT, WHOLE, Client, Tally
from faults.content import CHECKSUM_BYTES, MOST_BYTES, Arrival, Content, WrongBytes
from faults.run import Plan, run
from faults.server import SITES, Server, await_true, serving

SEED = 16
SECONDS = 6


def test_a_round_keeps_all_its_claims(tmp_path: Path) -> None:
    assert run(Plan(SECONDS, SEED), tmp_path, print) == []


def test_a_round_finds_responses_that_end_too_early(tmp_path: Path) -> None:
    assert run(Plan(1, SEED, "short"), tmp_path, print) != []


def reconfigured(server: Server, times: int) -> int:
    """How many pools are in memory after so many reloads, each of which replaced all."""
    for generation in range(1, times + 1):
        server.configure(generation)
        server.ask("POST", "/reload?wait=true")
        await_true(lambda: not server.ask("GET", "/stats")["retiring"], "the end of the old pools")
    return server.live_pools()


def test_replaced_pools_leave_the_memory(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        if reconfigured(server, 0) != len(SITES):
            raise LookupError("pools are counted by the name of their class, which is another now")
        reconfigured(server, 6)
        # The worker socket knows those before the last until the next reload, and the admin server until it is asked about others.
        await_true(lambda: server.live_pools() <= 3 * len(SITES), "the end of the replaced pools in memory")


def bytes_of(content: Content) -> bytes:
    arrival = Arrival(content)
    parts = [content.part(begin, MOST_BYTES) for begin in range(0, content.length, MOST_BYTES)]
    for part in parts:
        arrival.take(part)
    return b"".join(parts) + arrival.checksum.encode()


@contextmanager
def asking(respond: str) -> Iterator[tuple[Client, Tally]]:
    """A client of a server that always does one thing: `whole`, `cut length`, `cut chunks`, `short`, `foreign`, `closed`, `fails`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked = parse_qs(urlsplit(self.path).query)
            key = "another" if respond == "foreign" else asked["key"][0]
            body = bytes_of(Content(key, int(asked["length"][0])))
            if respond == "closed":
                self.close_connection = True
                return
            self.send_response(502 if respond == "fails" else 200)
            self.send_header("Handoff-Error", "worker_lost")
            if respond == "cut chunks":
                self.send_header("Transfer-Encoding", "chunked")
            else:
                self.send_header("Content-Length", str(len(body) - (1 if respond == "short" else 0)))
            self.end_headers()
            if respond == "cut chunks":
                body = b"%x\r\n%s\r\n" % (len(body), body)  # and no last chunk
            self.wfile.write(body[:-1] if respond in ("short", "cut length") else body)
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    tally = Tally()
    try:
        yield Client(0, server.server_port, "test", False, False, tally, threading.Event()), tally
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize("kind", ["stream", "curl"])
@pytest.mark.parametrize(
    ("respond", "outcome"),
    [
        ("whole", WHOLE),
        ("cut length", CUT),
        ("cut chunks", CUT),
        ("closed", CLOSED),
        ("fails", "502 worker_lost"),
        ("short", "wrong"),
        ("foreign", "wrong"),
    ],
)
def test_a_client_tells_how_its_request_ended(respond: str, outcome: str, kind: str) -> None:
    with asking(respond) as (client, tally):
        assert client.ask("python", "a-key", getattr(client, kind)) == outcome
        assert [outcome] * bool(tally.violations) == ["wrong"] * (outcome == "wrong")


def test_content_is_recognized_however_it_is_cut() -> None:
    content = Content("a key", 200_000)
    whole = bytes_of(content)
    assert len(whole) == 200_000 + CHECKSUM_BYTES
    for size in (1000, 32_768, MOST_BYTES):
        arrival = Arrival(content)
        for begin in range(0, len(whole), size):
            assert not arrival.is_whole
            arrival.take(whole[begin : begin + size])
        assert arrival.is_whole


@pytest.mark.parametrize("at", [0, 65_521, 199_999, 200_000, 200_063])
def test_one_wrong_byte_is_found(at: int) -> None:
    content = Content("a key", 200_000)
    whole = bytearray(bytes_of(content))
    whole[at] ^= 1
    arrival = Arrival(content)
    with pytest.raises(WrongBytes):
        for begin in range(0, len(whole), 10_000):
            arrival.take(bytes(whole[begin : begin + 10_000]))
