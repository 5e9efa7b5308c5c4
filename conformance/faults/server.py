"""The server that has the faults: two pools, Python and Node, each with two workers, and its admin server."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
APPLICATIONS = Path(__file__).resolve().parent / "applications"
PATIENCE_SECONDS = 90.0
PATIENT_SECONDS = 55
"""Longer than any response takes; a client waits longer still for a byte."""
WORKERS = 2
SITES = {"python": "site.py", "node": "site.mjs"}


class Server:
    def __init__(self, folder: Path, broken: str, drain_seconds: int) -> None:
        self.folder = folder
        self.spool = folder / "spool"
        self.spool.mkdir(parents=True)
        self._broken, self._drain_seconds = broken, drain_seconds
        self._output = folder / "log"
        self.configure(0)
        with self._output.open("wb") as output:
            self.process = subprocess.Popen(
                [str(ROOT / "handoff"), "serve", "--config", str(self._file)],
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.port, self._admin = 0, ""

    def await_ready(self) -> None:
        self.port = int(self._told(r"→ http://127\.0\.0\.1:(\d+)/"))
        self._admin = self._told(r"dashboard (http://127\.0\.0\.1:\d+)/")
        self.await_workers()

    def await_workers(self) -> None:
        await_true(lambda: len(self.workers()) == WORKERS * len(SITES), "all workers")

    @property
    def _file(self) -> Path:
        return self.folder / "handoff.json"

    @property
    def log(self) -> str:
        return self._output.read_text(errors="replace")

    def configure(self, generation: int) -> None:
        """Another generation is another environment of the processes, so a reload starts new pools."""
        environment = {"GENERATION": str(generation), "FAULTS_BROKEN": self._broken}
        pools = {
            name: {
                "command": str(APPLICATIONS / site),
                "workers": WORKERS,
                "environment": environment,
                "routes": [{"path": f"/{name}"}],
            }
            for name, site in SITES.items()
        }
        # No response of the core's own for lack of time: that would come from the machine's speed.
        settings: dict[str, object] = {
            name: f"{PATIENT_SECONDS}s" for name in ("requestTimeout", "queueTimeout", "noWorkerGrace")
        }
        settings["drainTimeout"] = f"{self._drain_seconds}s"
        settings |= {"port": 0, "adminPort": 0, "spoolDirectory": str(self.spool)}
        self._file.write_text(json.dumps({**settings, "pools": pools}))

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """What the admin server responds; None where it refuses, as an operation that another one has overtaken."""
        data = None if body is None else json.dumps(body).encode()
        fields = {"Accept": "application/json"} | ({"Content-Type": "application/json"} if data else {})
        request = urllib.request.Request(self._admin + path, data, fields, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
                return json.load(response)
        except urllib.error.HTTPError as refused:
            assert refused.code in (404, 409), f"{method} {path}: {refused.read()!r}"
            return None

    def workers(self, state: str = "ready") -> list[dict[str, Any]]:
        pools = self.ask("GET", "/workers")["pools"]
        return [worker for pool in pools for worker in pool["workers"] if worker["state"] == state]

    def open_descriptors(self) -> list[str]:
        """Where they lead. One may be closed while we look."""
        found = []
        for entry in Path(f"/proc/{self.process.pid}/fd").iterdir():
            try:
                found.append(os.readlink(entry))
            except FileNotFoundError:
                continue
        return found

    def live_bytes(self) -> int:
        """What Java's heap holds after a collection."""
        return int(re.findall(r"^Total\s+\d+\s+(\d+)", self._histogram(), re.MULTILINE)[0])

    def live_pools(self) -> int:
        """How many pools are in Java's heap after a collection."""
        found = re.search(r"(\d+)\s+\d+\s+dev\.handoff\.process\.WorkerPool\s", self._histogram())
        return int(found[1]) if found else 0

    def _histogram(self) -> str:
        home = subprocess.run(
            [ROOT / "scripts" / "find-jdk"], check=True, capture_output=True, text=True
        ).stdout.strip()
        command = [f"{home}/bin/jcmd", str(self.process.pid), "GC.class_histogram"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def _told(self, pattern: str) -> str:
        await_true(lambda: re.search(pattern, self.log) or self.process.poll() is not None, pattern)
        found = re.search(pattern, self.log)
        assert found, self.log
        return found[1]


@contextmanager
def serving(folder: Path, broken: str = "", drain_seconds: int = PATIENT_SECONDS) -> Iterator[Server]:
    server = Server(folder, broken, drain_seconds)
    try:
        server.await_ready()
        yield server
    finally:
        # A server that was told to end once does so at once now.
        server.process.send_signal(signal.SIGTERM)
        try:
            server.process.wait(20)
        finally:
            server.process.kill()
            server.process.wait()


def await_true(condition: Callable[[], object], what: str) -> None:
    assert becomes_true(condition), f"waited in vain for {what}"


def becomes_true(condition: Callable[[], object]) -> bool:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.02)
    return True


def _environment() -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("HANDOFF_")}
    return own | {"VIRTUAL_ENV": sys.prefix}
