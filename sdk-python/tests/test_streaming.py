"""Streaming responses of real frameworks through a real core, which a client reads as they come."""

import http.client
import os
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest
from serving import PATIENCE, Serving, serving

SITE = Path(__file__).with_name("streaming_site.py")
LARGE = bytes(range(256)) * 256 * 800
KINDS = ("flask_app", "fastapi_app", "django_wsgi", "django_asgi", "plain", "coroutine")


@pytest.fixture(scope="module", params=KINDS)
def one_of_each(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Serving, Path]]:
    folder = tmp_path_factory.mktemp(request.param)
    shutil.copy(SITE, folder)
    with serving(f"streaming_site:{request.param}", "--", "--threads", "2", folder=folder) as server:
        yield server, folder


@pytest.fixture
def site(one_of_each: tuple[Serving, Path]) -> tuple[Serving, Path]:
    for name in ("go", "end", "closed"):
        (one_of_each[1] / name).unlink(missing_ok=True)
    return one_of_each


@contextmanager
def asked(server: Serving, target: str, method: str = "GET") -> Iterator[http.client.HTTPResponse]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    try:
        connection.request(method, target)
        yield connection.getresponse()
    finally:
        connection.close()


def test_a_part_reaches_the_client_before_the_next_is_made(site: tuple[Serving, Path]) -> None:
    server, folder = site
    with asked(server, "/waits") as response:
        assert (response.status, response.getheader("transfer-encoding")) == (200, "chunked")
        assert response.read(11) == b"data: one\n\n"
        (folder / "go").touch()
        assert response.read(11) == b"data: two\n\n"
        (folder / "end").touch()
        assert set(response.read().split(b"\n\n")) <= {b"data: more", b""}
    assert (folder / "closed").exists()


def test_a_generator_is_closed_when_its_client_leaves(site: tuple[Serving, Path]) -> None:
    server, folder = site
    (folder / "go").touch()
    with asked(server, "/waits") as response:
        assert response.read(22) == b"data: one\n\ndata: two\n\n"
        response.close()
    await_file(folder / "closed")
    assert "Traceback" not in server.log.partition("GET /fails")[0]


def test_a_response_larger_than_a_frame_arrives_whole(site: tuple[Serving, Path]) -> None:
    with asked(site[0], "/large") as response:
        assert sha256(response.read()).digest() == sha256(LARGE).digest()


def test_a_failure_half_way_cuts_the_client_and_is_logged(site: tuple[Serving, Path]) -> None:
    with asked(site[0], "/fails") as response:
        assert response.status == 200
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            response.read()
    site[0].await_log(r"failed for GET /(later/)?fails")
    site[0].await_log(r"LookupError: half way")


def test_a_slow_client_holds_the_handler_and_not_the_memory(site: tuple[Serving, Path]) -> None:
    """The client reads nothing for a while, and others are served: the worker makes no more than the sockets hold."""
    server, _ = site
    worker = int(server.await_log(r"\(process (\d+)")[1])
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.settimeout(PATIENCE)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 * 1024)
        client.sendall(b"GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        came = len(client.recv(1000))
        before = resident(worker)
        for _ in range(20):
            server.ask("GET", "/nothing")
        assert resident(worker) - before < 16 * 1024 * 1024
        while chunk := client.recv(1024 * 1024):
            came += len(chunk)
        assert came > len(LARGE)


def resident(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def await_file(file: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not file.exists():
        assert time.monotonic() < deadline, f"no {file.name}"
        time.sleep(0.01)


def test_fastapi_sends_events_and_files(tmp_path: Path) -> None:
    shutil.copy(SITE, tmp_path)
    (tmp_path / "file").write_bytes(LARGE)
    with serving("streaming_site:fastapi_app", folder=tmp_path) as server:
        with asked(server, "/events") as response:
            assert response.getheader("content-type", "").startswith("text/event-stream")
            first = b'data: "one"\nid: 1\n\n'
            assert response.read(len(first)) == first
            (tmp_path / "go").touch()
            assert response.read() == b'event: tick\ndata: "two"\n\n'
        with asked(server, "/file") as response:
            assert response.getheader("content-length") == str(len(LARGE))
            assert sha256(response.read()).digest() == sha256(LARGE).digest()


def test_a_drain_lets_streams_end(tmp_path: Path) -> None:
    shutil.copy(SITE, tmp_path)
    with serving("streaming_site:fastapi_app", folder=tmp_path) as server, asked(server, "/waits") as response:
        assert response.read(11) == b"data: one\n\n"
        server.process.send_signal(signal.SIGTERM)
        server.await_log("SIGTERM")
        (tmp_path / "go").touch()
        assert response.read(11) == b"data: two\n\n"
        (tmp_path / "end").touch()
        assert set(response.read().split(b"\n\n")) <= {b"data: more", b""}
        assert server.process.wait(PATIENCE) == 0
