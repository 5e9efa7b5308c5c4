"""Responses in pieces of Flask, Django and FastAPI, and events of sse-starlette and FastAPI: as they are made, on Handoff and on their own servers."""

import http.client
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from served import gunicorn, handoff, uvicorn

PATIENCE_SECONDS = 60
EVENTS = [("/events", b"id: 1\r\ndata: one\r\n\r\n"), ("/own-events", b'id: 1\ndata: "one"\n\n')]
"""With what comes first, as sse-starlette and FastAPI itself write it."""
OF_THE_SERVER = {"connection", "date", "server", "keep-alive"}

Server = Callable[[str, dict[str, str]], AbstractContextManager[str]]


def by_handoff(application: str, environment: dict[str, str]) -> AbstractContextManager[str]:
    return handoff(application, environment=environment)


@contextmanager
def asked(url: str, target: str) -> Iterator[http.client.HTTPResponse]:
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", target)
        yield connection.getresponse()
    finally:
        connection.close()


def visit(server: Server, application: str, folder: Path) -> list[object]:
    folder.mkdir()
    has_events = application == "fastapi_app"
    seen: list[object] = []
    with server(f"streaming:{application}", {"STREAMING_FOLDER": str(folder)}) as url:
        for target, first in [("/waits", b"one")] + EVENTS * has_events:
            with asked(url, target) as response:
                assert response.read(len(first)) == first  # while the second part waits
                (folder / "go").touch()
                seen += [response.status, fields(response), response.read()]
            await_and_remove(folder / "closed")
            (folder / "go").unlink()
        with asked(url, "/fails") as response:
            assert response.read(5) == b"begun"
            with pytest.raises((http.client.IncompleteRead, ConnectionError)):
                response.read()
        for target, _ in EVENTS * has_events:
            with asked(url, target) as response:
                response.read(1)
                response.close()
            await_and_remove(folder / "closed")  # the client has left
    return seen


def fields(response: http.client.HTTPResponse) -> dict[str, str]:
    all_ = {name.lower(): value for name, value in response.getheaders()}
    return {name: value for name, value in all_.items() if name not in OF_THE_SERVER}


def await_and_remove(file: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not file.exists():
        assert time.monotonic() < deadline, f"no {file.name}"
        time.sleep(0.01)
    file.unlink()


@pytest.mark.parametrize(
    ("application", "own"), [("flask_app", gunicorn), ("django_app", gunicorn), ("fastapi_app", uvicorn)]
)
def test_parts_come_as_they_are_made(application: str, own: Server, tmp_path: Path) -> None:
    served = visit(by_handoff, application, tmp_path / "a")
    assert served == visit(own, application, tmp_path / "b")
    print("streaming:", application, served)
