"""The SDKs from before requests and responses in pieces, as they were, with the core of today (docs/PROTOCOL.md, `Versions`)."""

import hashlib
import os
import random
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMIT = "876aa4829936799a80dc3410b873ba6438b539ce"
"""The last one whose SDKs know nothing of the feature `streams`."""
PATIENCE_SECONDS = 60.0
LARGE = random.Random(16).randbytes(5_000_000)
"""More than stays in the core's memory."""

PYTHON = """
import asyncio, hashlib

async def app(scope, receive, send):
    assert scope["type"] == "http"
    body, more = b"", True
    while more:
        event = await receive()
        body, more = body + event["body"], event["more_body"]
    await send({"type": "http.response.start", "status": 200})
    for part in (b"one ", b"two ", hashlib.sha256(body).hexdigest().encode()):
        await send({"type": "http.response.body", "body": part, "more_body": True})
        await asyncio.sleep(0.01)
    await send({"type": "http.response.body"})
"""

NODE = """
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { serveNode } from "handoff-worker";

serveNode(async (request, response) => {
  const hash = createHash("sha256");
  for await (const piece of request) hash.update(piece);
  for (const part of ["one ", "two ", hash.digest("hex")]) {
    response.write(part);
    await sleep(10);
  }
  response.end();
});
"""


@pytest.fixture(scope="module")
def sdks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both, and a handler for each."""
    archive = ["git", "-C", str(ROOT), "archive", COMMIT, "sdk-python/src", "sdk-node"]
    found = subprocess.run(archive, capture_output=True, check=False)
    if found.returncode != 0:
        pytest.skip("the history of the repository is not here")
    folder = tmp_path_factory.mktemp("sdks")
    subprocess.run(["tar", "-x", "-C", folder], input=found.stdout, check=True)
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "handoff-worker").symlink_to(folder / "sdk-node")
    (folder / "old_app.py").write_text(PYTHON)
    (folder / "old_app.mjs").write_text(NODE)
    return folder


COMMANDS = {"python": [sys.executable, "-m", "handoff_worker", "old_app:app"], "node": ["node", "old_app.mjs"]}


@contextmanager
def process(*command: str, log: Path, folder: Path = ROOT, **environment: str) -> Iterator["subprocess.Popen[bytes]"]:
    with log.open("wb") as output:
        started = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield started
    finally:
        started.send_signal(signal.SIGTERM)
        try:
            started.wait(20)
        finally:
            started.kill()
            started.wait()


@contextmanager
def served(sdks: Path, kind: str, folder: Path, *options: str) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """The address of a core, and the old worker that has connected to it."""
    socket, log = folder / "core.sock", folder / "core.log"
    core = [str(ROOT / "handoff"), "serve", "--port", "0", "--admin-port", "0", "--socket", str(socket), *options]
    with process(*core, log=log) as running:
        address = told(log, r"→ (http://127\.0\.0\.1:\d+)/", running)
        worker = process(
            *COMMANDS[kind],
            log=folder / "worker.log",
            folder=sdks,
            HANDOFF_SOCKET=str(socket),
            PYTHONPATH=f"{sdks / 'sdk-python' / 'src'}:{sdks}",
        )
        with worker as connected:
            told(log, r"( is connected) ", connected)
            yield address, connected


def told(log: Path, pattern: str, running: "subprocess.Popen[bytes]") -> str:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (found := re.search(pattern, log.read_text())):
        assert time.monotonic() < deadline and running.poll() is None, log.read_text()
        time.sleep(0.02)
    return found[1]


def ask(address: str, body: bytes | None = None) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, body), timeout=PATIENCE_SECONDS) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, str(refused.headers["handoff-error"])


def expected(body: bytes) -> tuple[int, str]:
    return 200, f"one two {hashlib.sha256(body).hexdigest()}"


@pytest.mark.parametrize("kind", COMMANDS)
def test_requests_and_responses_of_any_size_come_whole(sdks: Path, kind: str, tmp_path: Path) -> None:
    with served(sdks, kind, tmp_path) as (address, worker):
        assert ask(address) == expected(b"")
        assert ask(address, b"small") == expected(b"small")
        assert ask(address, LARGE) == expected(LARGE)
        assert worker.poll() is None
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE_SECONDS) == 0, (tmp_path / "worker.log").read_text()


@pytest.mark.parametrize("kind", COMMANDS)
def test_content_as_it_comes_is_refused_and_nothing_else(sdks: Path, kind: str, tmp_path: Path) -> None:
    with served(sdks, kind, tmp_path, "--request-body", "stream") as (address, worker):
        assert ask(address) == expected(b"")
        assert ask(address, LARGE) == (413, "no_worker_takes_it")
        assert ask(address) == expected(b"")
        assert worker.poll() is None
