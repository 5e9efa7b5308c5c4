"""Each adapter passes its own checks, which need its language, and `handoff check`."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest
from serving import PATIENCE, serving

ADAPTERS = Path(__file__).parents[1]
ROOT = ADAPTERS.parent


def run(*command: str, folder: Path) -> None:
    """In the folder; what it says is shown where it fails."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HANDOFF_")}
    done = subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def needs(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program} on the PATH")


def test_go_answers_as_net_http_does(tmp_path: Path) -> None:
    needs("go")
    run("go", "vet", "./...", folder=ADAPTERS / "go")
    run("go", "test", "-count=1", "./...", folder=ADAPTERS / "go")
    run("go", "build", "-o", str(tmp_path / "server"), "./example", folder=ADAPTERS / "go")
    check = [str(ROOT / "handoff"), "check", "--measure", "0s", "--timeout", "60s", "--stream", "/clock"]
    run(*check, str(tmp_path / "server"), folder=ADAPTERS / "go")


def ask(port: int, method: str, target: str, content: bytes, headers: dict[str, str]) -> tuple[object, ...]:
    """Status, headers and content; without what each server has of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request(method, target, content or None, headers | {"Host": "example.org:81"})
    response = connection.getresponse()
    came = response.read()
    connection.close()
    ours = ("date", "content-length", "transfer-encoding", "x-request-id", "server", "connection")
    fields = sorted((name.lower(), value) for name, value in response.getheaders() if name.lower() not in ours)
    return response.status, fields, came


@contextmanager
def puma(configuration: Path) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = ["puma", "--quiet", "--environment", "none", "--bind", f"tcp://127.0.0.1:{port}", str(configuration)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        deadline = monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert process.poll() is None and monotonic() < deadline
                sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


LATIN: dict[str, str] = {"X-Name": "J\u00fcrgen", "Cookie": "a=1; b=2", "Accept": "*/*"}
REQUESTS: list[tuple[str, str, bytes, dict[str, str]]] = [
    ("GET", "/request?a=%2F&b", b"", LATIN),
    ("PUT", "/request", bytes(range(256)), {"Content-Type": "application/octet-stream"}),
    ("POST", "/request", b"long " * 100_000, {"Content-Type": "text/plain"}),
    ("DELETE", "/request", b"", {}),
    ("HEAD", "/request", b"", {}),
    ("GET", "/headers", b"", {}),
    ("GET", "/empty", b"", {}),
    ("GET", "/parts", b"", {}),
    ("GET", "/large", b"", {}),
    ("GET", "/no/such/page", b"", {}),
]


def test_rack_answers_as_puma_does() -> None:
    needs("puma")
    configuration = ADAPTERS / "tests" / "rack" / "config.ru"
    adapter = str(ADAPTERS / "rack" / "handoff.rb")
    with puma(configuration) as own, serving(adapter, "--", str(configuration), folder=ROOT) as core:
        for request in REQUESTS:
            assert ask(core.port, *request) == ask(own, *request), request[:2]
        assert ask(core.port, "GET", "/raises", b"", {})[0] == 500
        core.process.send_signal(signal.SIGTERM)
        assert core.process.wait(PATIENCE) == 0
        assert "LintError" not in core.log, core.log


def test_sinatra_is_served_unchanged() -> None:
    needs("ruby")
    if subprocess.run(["ruby", "-e", 'require "sinatra/base"'], check=False, capture_output=True).returncode:
        pytest.skip("Ruby has no Sinatra")
    command = [str(ADAPTERS / "rack" / "handoff.rb"), "--", str(ADAPTERS / "rack" / "example" / "config.ru")]
    check = [str(ROOT / "handoff"), "check", "--measure", "0s", "--timeout", "60s", "--stream", "/clock"]
    run(*check, *command, folder=ROOT)
    with serving(*command, folder=ROOT) as server:
        assert server.ask("GET", "/") == (200, b"hello\n")
        assert server.ask("GET", "/greetings/%3Cyou%3E")[1].startswith(b"<p>Hello &lt;you&gt;, from 127.0.0.1")
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        assert server.ask("POST", "/sum", b"numbers[]=1&numbers[]=2", form) == (200, b"3")
        assert server.ask("GET", "/no/such/page")[0] == 404
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        connection.request("GET", "/clock")
        clock = connection.getresponse()
        assert clock.read(16).startswith(b"data: ") and clock.read(16).startswith(b"data: ")
        connection.close()
