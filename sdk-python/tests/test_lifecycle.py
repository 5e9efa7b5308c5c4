"""The life of ASGI and WSGI applications in a real worker of a real core."""

import http.client
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from serving import NO_WORKER, PATIENCE, Serving, serving

FOLDER = Path(__file__).parent


@pytest.fixture(scope="module")
def asgi() -> Iterator[Serving]:
    with serving("lifecycle_site:asgi", folder=FOLDER) as server:
        yield server


@pytest.fixture(scope="module")
def wsgi() -> Iterator[Serving]:
    with serving("lifecycle_site:wsgi", folder=FOLDER) as server:
        yield server


def test_lifespan_has_started_and_its_state_is_each_requests(asgi: Serving) -> None:
    assert asgi.ask("GET", "/greeting") == (200, b"hello from the lifespan")


def test_response_does_not_wait_for_background_work(asgi: Serving) -> None:
    assert asgi.ask("GET", "/background") == (200, b"at once")
    asgi.await_response("/told", b"background")


def test_application_hears_that_its_client_left(asgi: Serving) -> None:
    with socket.create_connection(("127.0.0.1", asgi.port), timeout=PATIENCE) as client:
        client.sendall(b"GET /patient HTTP/1.1\r\nHost: example.org\r\n\r\n")
        asgi.await_log("waiting$")
    asgi.await_log("the client left$")
    assert asgi.ask("GET", "/greeting")[0] == 200


@pytest.mark.parametrize("kind", ["asgi", "wsgi"])
def test_response_that_never_ends_ends_with_its_client(kind: str, request: pytest.FixtureRequest) -> None:
    """It may be larger than the core takes in one frame, and holds up nobody."""
    server: Serving = request.getfixturevalue(kind)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.request("GET", "/endless")
    response = connection.getresponse()
    assert len(response.read(40 * 1024 * 1024)) == 40 * 1024 * 1024
    assert server.ask("GET", "/greeting")[0] == 200
    response.close()
    connection.close()
    assert server.ask("GET", "/greeting")[0] == 200


def test_exception_is_a_500_and_its_traceback_is_in_the_log(wsgi: Serving) -> None:
    assert wsgi.ask("GET", "/failing")[0] == 500
    wsgi.await_log(r"Traceback \(most recent call last\)")
    wsgi.await_log("LookupError: lost in the application")


def test_wsgi_runs_requests_at_the_same_time_and_says_so(wsgi: Serving) -> None:
    with ThreadPoolExecutor(2) as clients:
        responses = list(clients.map(lambda _: wsgi.ask("GET", "/together"), range(2)))
    assert responses == [(200, b"/together True")] * 2


def test_startup_that_fails_is_told_and_nothing_is_served() -> None:
    with serving("lifecycle_site:asgi", folder=FOLDER, environment={"STARTUP": "fails"}) as server:
        assert server.process.wait(PATIENCE) == NO_WORKER
        assert "lifecycle_site:asgi cannot start: " in server.log
        assert "OSError: no database" in server.log


def test_drain_finishes_what_has_begun_and_then_shuts_down() -> None:
    with serving("lifecycle_site:asgi", folder=FOLDER) as server, ThreadPoolExecutor(1) as client:
        response = client.submit(server.ask, "GET", "/slow")
        server.await_log("slow begins$")
        server.process.send_signal(signal.SIGTERM)
        assert response.result(PATIENCE) == (200, b"slow but sure")
        assert server.process.wait(PATIENCE) == 0
        assert "shut down in order" in server.log
