"""The API of the to-do list, as todobackend.com specifies it and beyond."""

import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from serving import PATIENCE, Serving, serving


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    json: Any


class Client:
    """A page of another origin, without its browser."""

    def __init__(self, server: Serving) -> None:
        self.port = server.port

    def ask(self, method: str, path: str = "/", value: Any = None, body: bytes | None = None) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            content = body if value is None else json.dumps(value).encode()
            connection.request(method, path, content, {"content-type": "application/json"})
            response = connection.getresponse()
            text = response.read()
            headers = {name.lower(): given for name, given in response.getheaders()}
            return Reply(response.status, headers, json.loads(text) if text else None)
        finally:
            connection.close()

    def add(self, **todo: Any) -> str:
        """The path of a new to-do."""
        url: str = self.ask("POST", value=todo).json["url"]
        assert url.startswith(f"http://127.0.0.1:{self.port}/")
        return url.removeprefix(f"http://127.0.0.1:{self.port}")


@pytest.fixture(scope="module")
def server() -> Iterator[Serving]:
    with serving("todo_backend.py", folder=Path(__file__).parents[1]) as server:
        yield server


@pytest.fixture
def client(server: Serving) -> Client:
    client = Client(server)
    client.ask("DELETE")
    return client


def test_list_is_empty_at_first(client: Client) -> None:
    response = client.ask("GET")
    assert (response.status, response.json) == (200, [])


@pytest.mark.parametrize("path", ["/", "/1"])
def test_page_of_any_origin_may_ask(client: Client, path: str) -> None:
    preflight = client.ask("OPTIONS", path)
    assert preflight.status == 204
    assert preflight.headers["access-control-allow-origin"] == "*"
    assert "content-type" in preflight.headers["access-control-allow-headers"]
    assert {"GET", "POST", "PATCH", "DELETE"} <= set(preflight.headers["access-control-allow-methods"].split(", "))
    assert client.ask("GET", path).headers["access-control-allow-origin"] == "*"


def test_new_to_do_is_told_and_is_in_the_list(client: Client) -> None:
    response = client.ask("POST", value={"title": "walk the dog"})
    assert response.status == 201
    assert response.json["title"] == "walk the dog"
    assert client.ask("GET").json == [response.json]


def test_new_to_do_is_not_completed(client: Client) -> None:
    assert client.ask("POST", value={"title": "walk the dog"}).json["completed"] is False


def test_to_do_is_found_at_its_url(client: Client) -> None:
    path = client.add(title="walk the dog")
    assert client.ask("GET", path).json["title"] == "walk the dog"
    assert client.ask("GET").json[0]["url"].endswith(path)


def test_to_dos_have_urls_of_their_own(client: Client) -> None:
    assert client.add(title="one") != client.add(title="two")


@pytest.mark.parametrize("change", [{"title": "bathe the cat"}, {"completed": True}, {"order": 95}])
def test_change_is_told_and_kept(client: Client, change: dict[str, Any]) -> None:
    path = client.add(title="walk the dog", order=1)
    before = client.ask("GET", path).json
    assert client.ask("PATCH", path, change).json == before | change
    assert client.ask("GET", path).json == before | change
    assert client.ask("GET").json == [before | change]


def test_to_do_may_have_an_order(client: Client) -> None:
    assert client.ask("POST", value={"title": "blah", "order": 523}).json["order"] == 523


def test_deletes_one(client: Client) -> None:
    path, other = client.add(title="one"), client.add(title="two")
    assert client.ask("DELETE", path).status == 204
    assert client.ask("GET", path).status == 404
    assert [todo["url"][-len(other) :] for todo in client.ask("GET").json] == [other]


def test_deletes_all(client: Client) -> None:
    client.add(title="one")
    assert client.ask("DELETE").status == 204
    assert client.ask("GET").json == []


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/", b"{", 400),
        ("POST", "/", b"[]", 400),
        ("POST", "/", b'{"title": 1}', 422),
        ("POST", "/", b'{"completed": "yes"}', 422),
        ("GET", "/0", None, 404),
        ("PATCH", "/0", b"{}", 404),
        ("PUT", "/", b"{}", 405),
    ],
)
def test_says_what_is_wrong(client: Client, method: str, path: str, body: bytes | None, status: int) -> None:
    response = client.ask(method, path, body=body)
    assert (response.status, response.json["status"]) == (status, status)
    assert response.json["detail"]
    assert client.ask("GET").json == []
