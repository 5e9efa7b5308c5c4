"""Uploads whose handlers begin before they are whole, through a real core: `--request-body stream`."""

import hashlib
import http.client
import json
import shutil
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from serving import PATIENCE, Serving, serving

SITE = Path(__file__).with_name("upload_site.py")
KINDS = ("flask_app", "fastapi_app", "starlette_app", "django_wsgi", "django_asgi", "plain", "coroutine")
NEEDS_A_LENGTH = {"django_wsgi"}
"""Django's WSGI handler reads nothing without a Content-Length, on every server."""

CONTENT = bytes(range(256)) * 4096 * 3
STREAMING = ("--request-body", "stream")

ECHO = """
import asyncio

async def app(scope, receive, send):
    assert scope["type"] == "http"
    await send({"type": "http.response.start", "status": 200})
    while True:
        event = await receive()
        if event["type"] == "http.disconnect":
            print("the client has left.", flush=True)
            return
        more = event.get("more_body", False)
        await send({"type": "http.response.body", "body": event["body"], "more_body": more})
        if not more:
            return
"""


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def site(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp(kind)
    shutil.copy(SITE, folder)
    with serving(*STREAMING, f"upload_site:{kind}", folder=folder) as server:
        yield server


def test_content_of_known_length_arrives(site: Serving) -> None:
    status, body = site.ask("POST", "/raw", CONTENT)
    assert (status, json.loads(body)["sha256"]) == (200, hashlib.sha256(CONTENT).hexdigest())


def test_chunks_arrive(site: Serving, kind: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE)
    parts = [CONTENT[start : start + 100_000] for start in range(0, len(CONTENT), 100_000)]
    connection.request("POST", "/raw", iter(parts), encode_chunked=True)
    size = json.loads(connection.getresponse().read())["size"]
    connection.close()
    assert size == (0 if kind in NEEDS_A_LENGTH else len(CONTENT))


def test_a_small_body_arrives(site: Serving) -> None:
    status, body = site.ask("POST", "/raw", b"small")
    assert (status, json.loads(body)["size"]) == (200, 5)


def test_a_form_arrives(site: Serving) -> None:
    parts = [
        b'--B\r\ncontent-disposition: form-data; name="title"\r\n\r\nlarge',
        b'--B\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n' + CONTENT,
    ]
    form = b"\r\n".join([*parts, b"--B--\r\n"])
    status, body = site.ask("POST", "/form", form, {"Content-Type": "multipart/form-data; boundary=B"})
    assert (status, json.loads(body)["size"]) == (200, len(CONTENT))


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("echo")
    (folder / "main.py").write_text(ECHO)
    with serving(*STREAMING, "main:app", folder=folder) as server:
        yield server


def begun(server: Serving, fields: str) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
    client.sendall(f"POST / HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n\r\n".encode())
    return client


def until(client: socket.socket, end: bytes) -> bytes:
    came = b""
    while not came.endswith(end):
        piece = client.recv(65536)
        assert piece, f"the end, behind {came!r}"
        came += piece
    return came


def test_each_piece_reaches_the_handler_before_the_next_is_sent(echo: Serving) -> None:
    with begun(echo, "Transfer-Encoding: chunked") as client:
        client.sendall(b"3\r\none\r\n")
        head = until(client, b"3\r\none\r\n")
        assert b"Connection: close" in head
        client.sendall(b"3\r\ntwo\r\n")
        assert until(client, b"two\r\n") == b"3\r\ntwo\r\n"
        client.sendall(b"0\r\n\r\n")
        assert until(client, b"0\r\n\r\n").endswith(b"0\r\n\r\n")


def test_the_handler_hears_that_the_rest_does_not_come(echo: Serving) -> None:
    with begun(echo, "Content-Length: 10") as client:
        client.sendall(b"one")
        until(client, b"3\r\none\r\n")
    echo.await_log(r"the client has left")
    assert echo.ask("POST", "/", b"next") == (200, b"next")


THREADS = """
from handoff_worker import Request, Response, serve

def handle(request: Request) -> Response:
    return Response(str(sum(len(piece) for piece in request.stream())))

serve(handle, threads=4)
"""


def test_clients_that_trickle_leave_a_thread_for_others(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(THREADS)
    with serving(*STREAMING, "main.py", folder=tmp_path) as server, ExitStack() as clients:
        slow = [clients.enter_context(begun(server, "Content-Length: 10")) for _ in range(12)]
        for client in slow:
            client.sendall(b"one")
        for _ in range(3):
            assert server.ask("POST", "/", b"small") == (200, b"5")
