"""A real core with real workers, started as a user starts them."""

from pathlib import Path

import pytest
from serving import serving

WORKER = """
import time
from handoff_worker import Request, Response, serve

def answer(request: Request) -> Response:
    if request.path == "/fail":
        raise LookupError("no such thing")
    if request.path == "/form":
        return Response.json({**request.form, **{name: len(file.body) for name, file in request.form.files.items()}})
    response = Response(f"{request.method} {request.path} {request.query.get('q')} {len(request.body)}", status=201)
    response.set_cookie("seen", "1")
    return response

serve(answer)
"""

APPLICATIONS = {
    "plain": "from handoff_worker import Response\ndef app(request): return Response('plain')",
    "coroutine": "from handoff_worker import Response\nasync def app(request): return Response('coroutine')",
    "wsgi": "def app(environ, start):\n    start('200 OK', [])\n    return [b'wsgi']",
    "asgi": (
        "async def app(scope, receive, send):\n"
        "    assert scope['type'] == 'http'\n"
        "    await send({'type': 'http.response.start', 'status': 200})\n"
        "    await send({'type': 'http.response.body', 'body': b'asgi'})"
    ),
}


def test_serves_a_function(tmp_path: Path) -> None:
    (tmp_path / "worker.py").write_text(WORKER)
    with serving("worker.py", folder=tmp_path) as server:
        assert server.ask("GET", "/caf%C3%A9?q=1") == (201, "GET /café 1 0".encode())
        assert server.ask("POST", "/", b"x" * 1_000_000) == (201, b"POST / None 1000000")
        form = b'--B\r\nContent-Disposition: form-data; name="f"; filename="n"\r\n\r\n12345\r\n--B--\r\n'
        headers = {"Content-Type": "multipart/form-data; boundary=B"}
        assert server.ask("POST", "/form", form, headers) == (200, b'{"f":5}')
        assert server.ask("POST", "/form", b"", {"Content-Type": "text/plain"})[0] == 400
        assert server.ask("GET", "/fail")[0] == 500
        server.await_log(r"LookupError: no such thing")
        server.await_log(r"Traceback")


def test_a_multipart_form_without_its_package_is_a_500_and_the_log_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "worker.py").write_text("import sys\nsys.modules['multipart'] = None\n" + WORKER)
    with serving("worker.py", folder=tmp_path) as server:
        headers = {"Content-Type": "multipart/form-data; boundary=B"}
        assert server.ask("POST", "/form", b"--B--\r\n", headers)[0] == 500
        server.await_log(r"ImportError: a multipart form .* pip install 'multipart")
        urlencoded = {"Content-Type": "application/x-www-form-urlencoded"}
        assert server.ask("POST", "/form", b"a=1", urlencoded) == (200, b'{"a":"1"}')


@pytest.mark.parametrize("kind", APPLICATIONS)
def test_serves_each_kind_of_application_by_its_module(tmp_path: Path, kind: str) -> None:
    (tmp_path / "main.py").write_text(APPLICATIONS[kind])
    with serving("main:app", folder=tmp_path) as server:
        assert server.ask("GET", "/") == (200, kind.encode())


def test_serves_a_file_that_knows_nothing_of_handoff(tmp_path: Path) -> None:
    (tmp_path / "site.py").write_text(APPLICATIONS["wsgi"])
    with serving("site.py", folder=tmp_path) as server:
        assert server.ask("GET", "/") == (200, b"wsgi")


@pytest.mark.parametrize("module", ["handoff_worker", "json"])
def test_a_file_is_served_without_what_lies_where_handoff_was_started(tmp_path: Path, module: str) -> None:
    (tmp_path / f"{module}.py").write_text("raise SystemExit('somebody put this here')")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "main.py").write_text(APPLICATIONS["wsgi"])
    with serving("mine/main.py", folder=tmp_path) as server:
        assert server.ask("GET", "/") == (200, b"wsgi")


def test_passes_options_on_to_the_sdk(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(f"def create():\n    exec({APPLICATIONS['wsgi']!r}, globals())\n    return app")
    with serving("main:create", "--", "--factory", "--threads", "2", folder=tmp_path) as server:
        assert server.ask("GET", "/") == (200, b"wsgi")


def test_says_why_an_application_cannot_be_served(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("app = 3")
    with serving("main:app", folder=tmp_path) as server:
        server.await_log("main:app is int, which cannot be called")
