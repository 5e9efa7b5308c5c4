"""The example applications, each started by the one command that its README names."""

import http.client
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import PATIENCE, Serving, serving

EXAMPLES = Path(__file__).parents[1]


def test_function_answers() -> None:
    with serving("sdk_hello.py", folder=EXAMPLES) as server:
        assert server.ask("GET", "/") == (200, b"hello\n")


def events(port: int) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/clock")
    return connection.getresponse()


def test_clock_ticks_in_every_page_that_shows_it() -> None:
    with serving("events.py", folder=EXAMPLES) as server:
        status, page = server.ask("GET", "/")
        assert status == 200 and b"EventSource" in page
        assert server.ask("GET", "/nothing")[0] == 404
        clocks = [events(server.port) for _ in range(20)]
        for clock in clocks:
            assert clock.getheader("content-type") == "text/event-stream"
            assert re.fullmatch(rb"data: \d\d:\d\d:\d\d\n\n", clock.read(16))
        clocks.pop().close()
        for clock in clocks:
            assert clock.read(16).startswith(b"data: ")
        assert server.ask("GET", "/")[0] == 200
        for clock in clocks:
            clock.close()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0
        assert not re.search("WARN(?!  the workers run as root)|Traceback", server.log)


@pytest.fixture(scope="module", params=[("flask_app/app.py", "."), ("app:app", "flask_app")])
def flask_app(request: pytest.FixtureRequest) -> Iterator[Serving]:
    application, folder = request.param
    with serving(application, folder=EXAMPLES / folder) as server:
        yield server


def test_flask_keeps_what_a_form_sends(flask_app: Serving) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", flask_app.port, timeout=PATIENCE)
    try:
        connection.request("POST", "/", b"text=some+text", {"content-type": "application/x-www-form-urlencoded"})
        redirect = connection.getresponse()
        redirect.read()
        place, cookie = redirect.headers["location"], redirect.headers["set-cookie"].partition(";")[0]
        assert redirect.status == 303
        connection.request("GET", place)
        assert connection.getresponse().read() == b"some text"
        connection.request("GET", "/", headers={"cookie": cookie})
        assert b"9 bytes are kept" in connection.getresponse().read()
    finally:
        connection.close()


def test_flask_refuses_what_is_empty(flask_app: Serving) -> None:
    assert flask_app.ask("POST", "/")[0] == 400


@pytest.fixture(scope="module")
def fastapi_app() -> Iterator[Serving]:
    with serving("main:app", folder=EXAMPLES / "fastapi_app") as server:
        yield server


JSON = {"content-type": "application/json"}


def test_fastapi_has_started_before_the_first_request(fastapi_app: Serving) -> None:
    status, body = fastapi_app.ask("GET", "/items")
    assert status == 200
    assert json.loads(body)[0]["name"] == "tea"


def test_fastapi_validates(fastapi_app: Serving) -> None:
    status, body = fastapi_app.ask("PUT", "/items/nothing", b'{"name": "nothing", "price": 0}', JSON)
    assert status == 422
    assert json.loads(body)["detail"][0]["loc"] == ["body", "price"]


def test_fastapi_works_on_after_its_response(fastapi_app: Serving) -> None:
    assert fastapi_app.ask("PUT", "/items/cup", b'{"name": "cup", "price": 2, "stock": 2}', JSON)[0] == 201
    assert fastapi_app.ask("POST", "/items/cup/orders", b'{"amount": 3}', JSON)[0] == 409
    assert fastapi_app.ask("POST", "/items/cup/orders", b'{"amount": 2}', JSON) == (202, b'{"ordered":"cup"}')
    fastapi_app.await_response("/orders", b'["2 of cup"]')


def test_fastapi_shows_its_documentation(fastapi_app: Serving) -> None:
    assert json.loads(fastapi_app.ask("GET", "/openapi.json")[1])["info"]["title"] == "Stock"


@pytest.fixture(scope="module", params=["guestbook.wsgi:application", "guestbook.asgi:application"])
def django_app(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = EXAMPLES / "django_app"
    environment = {
        "DATABASE": str(tmp_path_factory.mktemp("django") / "guestbook.sqlite3"),
        "SECRET_KEY": "of the tests",
    }
    subprocess.run(
        [sys.executable, "manage.py", "migrate"], cwd=folder, env=environment, check=True, capture_output=True
    )
    with serving(request.param, folder=folder, workers=2, environment=environment) as server:
        yield server


def test_django_writes_into_its_database(django_app: Serving) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", django_app.port, timeout=PATIENCE)
    try:
        connection.request("GET", "/")
        page = connection.getresponse()
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.read().decode())
        assert token is not None
        cookie = page.headers["set-cookie"].partition(";")[0]
        form = f"csrfmiddlewaretoken={token[1]}&author=A&text=fine".encode()
        headers = {"cookie": cookie, "content-type": "application/x-www-form-urlencoded"}
        connection.request("POST", "/", form, headers)
        redirect = connection.getresponse()
        redirect.read()
        assert (redirect.status, redirect.headers["location"]) == (302, "/")
        assert "sessionid=" in redirect.headers["set-cookie"]
    finally:
        connection.close()
    assert json.loads(django_app.ask("GET", "/entries.json")[1]) == {"entries": [{"author": "A", "text": "fine"}]}


def test_django_refuses_a_form_without_its_token(django_app: Serving) -> None:
    assert (
        django_app.ask("POST", "/", b"author=A&text=x", {"content-type": "application/x-www-form-urlencoded"})[0] == 403
    )


def test_django_has_a_database(django_app: Serving) -> None:
    assert django_app.ask("GET", "/database") == (200, b"ok\n")
