"""Each adapter passes its own checks, which need its language, and `handoff check`."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
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
    ours = ("date", "content-length", "transfer-encoding", "x-request-id", "server", "connection", "host")
    fields = sorted((name.lower(), value) for name, value in response.getheaders() if name.lower() not in ours)
    return response.status, fields, came


@contextmanager
def started(command: Callable[[int], list[str]]) -> Iterator[int]:
    """A server of the language's own, once it listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    process = subprocess.Popen(command(port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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
        process.wait(PATIENCE)


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

    def puma(port: int) -> list[str]:
        quiet = ["puma", "--quiet", "--environment", "none"]
        return [*quiet, "--bind", f"tcp://127.0.0.1:{port}", str(configuration)]

    with started(puma) as own, serving(adapter, "--", str(configuration), folder=ROOT) as core:
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


FORM = {"Content-Type": "application/x-www-form-urlencoded"}
TO_PHP: list[tuple[str, str, bytes, dict[str, str]]] = [
    ("GET", "/", b"", {}),
    ("HEAD", "/", b"", {}),
    ("GET", "/request?a=%2F&b[]=1&b[]=2", b"", LATIN | {"X-Many": "1, 2", "Cookie": "a=1; b=%C3%BC"}),
    ("POST", "/request", b"name=J%C3%BCrgen&all[]=1&all[]=2", FORM),
    ("PUT", "/request", bytes(range(256)), {"Content-Type": "application/octet-stream"}),
    ("GET", "/empty", b"", {}),
    ("GET", "/no/such/page", b"", {}),
]


def test_psr15_answers_as_php_itself_does() -> None:
    needs("php")
    loads = 'require "Nyholm/Psr7/autoload.php"; require "GuzzleHttp/Psr7/autoload.php"; exit(0);'
    if subprocess.run(["php", "-r", loads], check=False, capture_output=True).returncode:
        pytest.skip("PHP has no PSR-7 of Nyholm and Guzzle")
    adapter = [str(ADAPTERS / "psr15" / "handoff.php"), "--", str(ADAPTERS / "psr15" / "example" / "app.php")]
    run(str(ROOT / "handoff"), "check", "--measure", "0s", "--timeout", "60s", *adapter, folder=ROOT)

    def php(port: int) -> list[str]:
        router = str(ADAPTERS / "tests" / "psr15_router.php")
        return [
            "php",
            "-d",
            "expose_php=0",
            "-d",
            "default_charset=",
            "-d",
            "default_mimetype=",
            "-S",
            f"127.0.0.1:{port}",
            router,
        ]

    with started(php) as own, serving(*adapter, folder=ROOT) as core:
        for request in TO_PHP:
            assert ask(core.port, *request) == ask(own, *request), request[:2]
        assert ask(core.port, "GET", "/raises", b"", {})[0] == 500
        core.process.send_signal(signal.SIGTERM)
        assert core.process.wait(PATIENCE) == 0
        assert "as it should" in core.log


def test_a_page_of_rails_is_served_unchanged(tmp_path: Path) -> None:
    needs("ruby")
    if subprocess.run(
        ["ruby", "-e", 'require "action_controller/railtie"'], check=False, capture_output=True
    ).returncode:
        pytest.skip("Ruby has no Rails")
    page = str(ADAPTERS / "tests" / "rails" / "config.ru")
    # Rails takes the working directory for its own, and may write there.
    with serving(str(ADAPTERS / "rack" / "handoff.rb"), "--", page, folder=tmp_path) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        session = ""
        for count in (1, 2):
            connection.request("GET", "/hello/%3Cyou%3E", headers={"Cookie": session})
            response = connection.getresponse()
            assert response.read() == f"<p>Hello &lt;you&gt;, {count}</p>\n".encode()
            cookies = response.headers.get_all("set-cookie") or []
            assert len(cookies) == 2
            session = next(each for each in cookies if each.startswith("session=")).partition(";")[0]
        connection.close()
        assert server.ask("POST", "/form", b"numbers[]=1&numbers[]=2", FORM) == (200, b"sum 3\n")
        assert server.ask("GET", "/no/such/page")[0] == 404
