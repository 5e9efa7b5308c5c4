"""One client that leaves costs no other its response: a real core with real workers, and hardly any grace."""

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from serving import PATIENCE, Serving, serving

GRACE = {"HANDOFF_CANCEL_GRACE": "1ms"}
"""For a whole response it begins with the deadline. A response in pieces has to end within it, so that one has the usual grace."""

PLAIN = """
import time
from pathlib import Path
from handoff_worker import Request, Response

def app(request: Request) -> Response:
    name = request.path[1:]
    Path(f"{name}-begun").touch()
    while name.startswith("slow") and not Path("finish").exists():
        if request.cancelled:
            Path(f"{name}-{request.cancelled}").touch()
        time.sleep(0.01)
    return Response(f"{name} done")
"""

WSGI = """
import time
from pathlib import Path

def app(environ, start):
    name = environ["PATH_INFO"][1:]
    start("200 OK", [])
    return answer(name)

def answer(name):
    Path(f"{name}-begun").touch()
    try:
        while name.startswith("slow") and not Path("finish").exists():
            yield b" "
            time.sleep(0.01)
        yield f"{name} done".encode()
    except GeneratorExit:
        Path(f"{name}-client_gone").touch()
        raise
"""


def await_file(file: Path) -> None:
    left = threading.Event()
    for _ in range(int(PATIENCE * 100)):
        if file.exists():
            return
        left.wait(0.01)
    raise AssertionError(f"no {file.name} after {PATIENCE:g} s")


def leave_behind(server: Serving, target: str, begun: Path) -> None:
    """Sends a request, and leaves as soon as its handler runs."""
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        await_file(begun)


@pytest.mark.parametrize("source", [PLAIN, WSGI], ids=["plain", "wsgi"])
@pytest.mark.parametrize("threads", [1, 8])
def test_the_requests_of_others_are_answered(tmp_path: Path, source: str, threads: int) -> None:
    (tmp_path / "main.py").write_text(source)
    others = [f"slow-{number}" for number in range(1, threads)]
    arguments = ("main:app", "--", "--threads", str(threads))
    with (
        serving(*arguments, folder=tmp_path, environment=GRACE if source is PLAIN else {}) as server,
        ThreadPoolExecutor(16) as clients,
    ):
        responses = [clients.submit(server.ask, "GET", f"/{name}") for name in others]
        for name in others:
            await_file(tmp_path / f"{name}-begun")
        leave_behind(server, "/slow-left", tmp_path / "slow-left-begun")
        await_file(tmp_path / "slow-left-client_gone")
        behind = clients.submit(server.ask, "GET", "/behind")
        (tmp_path / "finish").touch()
        assert [(status, body.strip()) for status, body in (response.result() for response in responses)] == [
            (200, f"{name} done".encode()) for name in others
        ]
        assert behind.result() == (200, b"behind done")
        assert "stuck" not in server.log
