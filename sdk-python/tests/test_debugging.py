"""`handoff run --debug`, in a real terminal."""

import http.client
import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import ADDRESS, PATIENCE, ROOT, _environment

APPLICATIONS = {
    "plain": """
from handoff_worker import Response
def app(request):
    answer = "before"
    breakpoint()
    return Response(answer)
""",
    "wsgi": """
def app(environ, start):
    answer = b"before"
    breakpoint()
    start("200 OK", [])
    return [answer.encode() if isinstance(answer, str) else answer]
""",
    "coroutine": """
from handoff_worker import Response
async def app(request):
    answer = "before"
    breakpoint()
    return Response(answer)
""",
}


class Terminal:
    """A process whose terminal the test is."""

    def __init__(self, folder: Path, *arguments: str, environment: dict[str, str] | None = None) -> None:
        self._ours, theirs = os.openpty()
        command = [str(ROOT / "handoff"), "run", "--port", "0", "--no-admin", *arguments]
        variables = _environment() | {"TERM": "dumb", "PYTHON_COLORS": "0"} | (environment or {})
        # With this terminal as its own, as a shell starts it.
        login = "import os, sys; os.login_tty(0) if hasattr(os, 'login_tty') else os.setsid(); os.execv(sys.argv[1], sys.argv[1:])"
        self.process = subprocess.Popen(
            [sys.executable, "-c", login, *command],
            cwd=folder,
            env=variables,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        self.seen = ""

    def await_text(self, pattern: str) -> re.Match[str]:
        """Waits until what was shown since the last match has another."""
        deadline = time.monotonic() + PATIENCE
        while (found := re.search(pattern, self.seen, re.MULTILINE)) is None:
            assert select.select([self._ours], [], [], max(0, deadline - time.monotonic()))[0], (
                f"no {pattern!r} in:\n{self.seen}"
            )
            self.seen += os.read(self._ours, 65536).decode(errors="replace").replace("\r\n", "\n")
        self.seen = self.seen[found.end() :]
        return found

    def type(self, line: str) -> None:
        os.write(self._ours, f"{line}\n".encode())

    def close(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.process.wait()
            os.close(self._ours)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path


class Client(threading.Thread):
    """Asks once."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self._port = port
        self.answer: tuple[int, bytes] | None = None
        self.start()

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE)
        connection.request("GET", "/")
        response = connection.getresponse()
        self.answer = response.status, response.read()

    def await_answer(self) -> tuple[int, bytes] | None:
        self.join(PATIENCE)
        return self.answer


@pytest.mark.parametrize("kind", APPLICATIONS)
def test_breakpoint_has_the_terminal(tmp_path: Path, kind: str) -> None:
    (tmp_path / "main.py").write_text(APPLICATIONS[kind])
    # What would end the wait at the prompt, were it not for --debug.
    terminal = Terminal(tmp_path, "--debug", "main:app", environment={"HANDOFF_REQUEST_TIMEOUT": "1ms"})
    try:
        port = int(terminal.await_text(ADDRESS.pattern)[1])
        client = Client(port)
        terminal.await_text(r"^\(Pdb\) ")
        terminal.type("answer = 'from the prompt'")
        terminal.await_text(r"^\(Pdb\) ")
        terminal.type("continue")
        assert client.await_answer() == (200, b"from the prompt")
    finally:
        terminal.close()


def test_a_second_request_waits_for_the_first(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(APPLICATIONS["wsgi"])
    terminal = Terminal(tmp_path, "--debug", "main:app")
    try:
        port = int(terminal.await_text(ADDRESS.pattern)[1])
        clients = [Client(port), Client(port)]
        for _ in clients:
            terminal.await_text(r"^\(Pdb\) ")
            terminal.type("continue")
        assert [client.await_answer() for client in clients] == [(200, b"before")] * 2
        assert "(Pdb)" not in terminal.seen
    finally:
        terminal.close()


def test_a_failed_start_leaves_the_server_to_the_developer(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("breakpoint()\nraise LookupError('mend me')\n")
    terminal = Terminal(tmp_path, "--debug", "main:app")
    try:
        terminal.await_text(r"^\(Pdb\) ")
        terminal.type("continue")
        terminal.await_text(r"LookupError: mend me")
        terminal.await_text(r"^\(Pdb\) ")
        terminal.type("continue")
    finally:
        terminal.close()


def test_there_is_one_worker(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(APPLICATIONS["plain"])
    command = [str(ROOT / "handoff"), "run", "--debug", "--workers", "2", "main:app"]
    refused = subprocess.run(command, cwd=tmp_path, env=_environment(), capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and "--debug is for one worker" in refused.stderr
