"""Real HTTP servers, started by a real core, and asked by real clients."""

import http.client
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from serving import PATIENCE, Serving, serving, serving_config
from websocket import create_connection

EXAMPLES = Path(__file__).parents[1]
BUILT = EXAMPLES.parent / "target" / "http-servers"
COMMANDS = {
    "go": ["./server"],
    "java": ["java", "Server.java"],
    "node": ["node", "server.mjs"],
    "php": ["php", "-S", "127.0.0.1:{port}", "server.php"],
    "python": [sys.executable, "server.py"],
    "ruby": ["puma", "--quiet", "-b", "unix://{socket}", "config.ru"],
}
CONCURRENCY = {"php": "1", "ruby": "5"}
ANY_BYTES = bytes(range(256)) * 300


def started(language: str) -> tuple[list[str], Path]:
    """The arguments of `handoff run`, and the folder to start it in. Skips what this machine lacks."""
    program = COMMANDS[language][0] if language != "go" else "go"
    if shutil.which(program) is None:
        pytest.skip(f"{language}: there is no {program}")
    folder = EXAMPLES / language
    if language == "go":
        BUILT.mkdir(parents=True, exist_ok=True)
        subprocess.run(["go", "build", "-o", BUILT / "server", "server.go"], cwd=folder, check=True)
        folder = BUILT
    options = ["--http", "--concurrency", CONCURRENCY.get(language, "20")]
    return [*options, "--", *COMMANDS[language]], folder


@pytest.mark.parametrize("language", COMMANDS)
def test_a_server_serves_as_it_is(language: str) -> None:
    arguments, folder = started(language)
    with serving(*arguments, folder=folder) as server:
        assert server.ask("GET", "/") == (200, b"hello\n")
        echoes(server)
        keeps_clients_apart(server)
        outlives_who_leaves(server)
        streams(server)
        is_started_again(server)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0
        # On a busy machine `java Server.java` compiles for longer than the 5 s that bring a warning.
        slow = "does not listen where it should after 5s"
        expected = f"the workers run as root|ended: signal 9|lost request id \\d+ .GET /clock|{slow}"
        log = re.sub(f".*({expected}).*", "", server.log)
        assert not re.search("WARN|ERROR", log), server.log


def echoes(server: Serving) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    for body in (b"x", ANY_BYTES):
        connection.request("PUT", "/echo?a=%2F", body, {"X-Forwarded-For": "6.6.6.6"})
        response = connection.getresponse()
        assert response.read() == body
        assert response.getheader("echo-method") == "PUT"
        assert response.getheader("echo-target") == "/echo?a=%2F"
        assert response.getheader("echo-client") == "127.0.0.1"
    connection.close()


def keeps_clients_apart(server: Serving) -> None:
    """Content that the server does not expect is not the beginning of what another client asks."""
    hidden = b"PUT /echo?hidden HTTP/1.1\r\nX-Hidden: "
    for _ in range(3):
        server.ask("GET", "/", hidden)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        connection.request("PUT", "/echo", b"mine")
        response = connection.getresponse()
        assert (response.read(), response.getheader("echo-target")) == (b"mine", "/echo")
        connection.close()


def outlives_who_leaves(server: Serving) -> None:
    """A client that is gone before its response costs nobody else theirs; that the server lives on is seen in the log."""
    large = 30_000_000
    head = f"PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: {large}\r\n\r\n".encode()
    for content in (bytes(large), bytes(large // 2), b"x") * 2:
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.sendall(head + content)
    assert server.ask("PUT", "/echo", b"still here") == (200, b"still here")


def streams(server: Serving) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.request("GET", "/clock")
    clock = connection.getresponse()
    assert str(clock.getheader("content-type")).startswith("text/event-stream")
    for _ in range(2):
        assert re.fullmatch(rb"data: \d\d:\d\d:\d\d\n\n", clock.read(16))
    connection.close()


def is_started_again(server: Serving) -> None:
    (worker,) = server.workers()
    os.kill(worker, signal.SIGKILL)
    server.await_log("ended: signal 9")
    assert server.ask("GET", "/") == (200, b"hello\n")


@pytest.mark.parametrize("language", ["node", "python"])
def test_a_reload_loses_nothing(language: str) -> None:
    arguments, folder = started(language)
    with serving(*arguments, folder=folder, workers=2) as server:
        answers: list[int] = []
        over = threading.Event()

        def ask() -> None:
            while not over.is_set():
                answers.append(server.ask("GET", "/")[0])

        clients = [threading.Thread(target=ask) for _ in range(4)]
        for client in clients:
            client.start()
        for _ in range(2):
            before = len(re.findall("reload: done, 2 workers replaced", server.log))
            server.process.send_signal(signal.SIGHUP)
            server.await_log("(?s)" + "reload: done, 2 workers replaced.*" * (before + 1))
        over.set()
        for client in clients:
            client.join(PATIENCE)
        assert len(answers) > 20
        assert set(answers) == {200}


def test_websockets_pass(tmp_path: Path) -> None:
    (tmp_path / "site.py").write_text(
        """
import asyncio, sys
from websockets.asyncio.server import unix_serve

async def echo(socket):
    await socket.send(socket.request.path)
    async for message in socket:
        await socket.send(message)

async def main():
    async with unix_serve(echo, sys.argv[1], subprotocols=["chat"]) as server:
        await server.serve_forever()

asyncio.run(main())
"""
    )
    with serving("--http", "--", sys.executable, "site.py", "{socket}", folder=tmp_path) as server:
        url = f"ws://127.0.0.1:{server.port}/room?a=b"
        chat = create_connection(url, timeout=PATIENCE, subprotocols=["other", "chat"])
        assert chat.subprotocol == "chat"
        assert chat.recv() == "/room?a=b"
        for text in ("hello", "", "gr\u00fc\u00dfe \u20ac\U0001f600", "x" * 300_000):
            chat.send(text)
            assert chat.recv() == text
        chat.send_binary(ANY_BYTES)
        assert chat.recv() == ANY_BYTES
        chat.close()


def test_servers_that_are_started_elsewhere(tmp_path: Path) -> None:
    with serving("--http", "--", sys.executable, "server.py", folder=EXAMPLES / "python") as upstream:
        (tmp_path / "handoff.json").write_text(
            f"""{{"pools": {{
                "site": {{"servers": "127.0.0.1:{upstream.port}", "routes": [{{"path": "/site", "prefix": "/site"}}]}},
                "rest": {{"servers": "127.0.0.1:{upstream.port}", "concurrency": 3, "routes": [{{"path": "/"}}]}}
            }}}}"""
        )
        with serving_config(tmp_path) as server:
            assert server.ask("GET", "/") == (200, b"hello\n")
            assert server.ask("PUT", "/site/echo", b"there", {"Content-Type": "text/plain"}) == (200, b"there")
            upstream.process.send_signal(signal.SIGTERM)
            assert upstream.process.wait(PATIENCE) == 0


def test_what_listens_elsewhere_is_told(tmp_path: Path) -> None:
    (tmp_path / "site.py").write_text(
        "from http.server import *; HTTPServer(('127.0.0.1', 0), SimpleHTTPRequestHandler).serve_forever()"
    )
    with serving("--http", "--", sys.executable, "site.py", folder=tmp_path) as server:
        server.await_log(r"does not listen where it should after 5s.*listens on port \d+ instead")
