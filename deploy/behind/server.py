"""A Handoff that serves the echo; on a listening socket that it inherits, as from systemd, where it is given one."""

import http.client
import json
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from live import process
from live.process import LIMIT_SECONDS, Process, until

ROOT = Path(__file__).resolve().parents[2]
ECHO = Path(__file__).with_name("echo.py")

TRUSTED = "127.0.0.1"
"""Where the proxies are; the clients come from another address of loopback."""


@dataclass(frozen=True)
class Handoff:
    host: str
    admin_port: int
    seen: Path
    process: Process

    def ask(self, method: str, path: str) -> tuple[int, Any]:
        """The admin server, on a connection of its own."""
        connection = http.client.HTTPConnection(self.host, self.admin_port, timeout=LIMIT_SECONDS)
        try:
            connection.request(method, path, headers={"accept": "application/json"})
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def connections(self) -> dict[str, Any]:
        """As /stats tells of them."""
        status, stats = self.ask("GET", "/stats")
        assert status == 200, stats
        found: dict[str, Any] = stats["connections"]
        return found

    def workers(self) -> set[int]:
        """The processes that serve the echo."""
        _, pools = self.ask("GET", "/workers")
        return {worker["pid"] for pool in pools["pools"] for worker in pool["workers"] if worker["state"] == "ready"}

    def reload(self) -> None:
        """SIGHUP, and until other workers serve."""
        before = self.workers()
        self.process.signal(signal.SIGHUP)
        until(lambda: ((now := self.workers()) and not now & before) or None, "new workers")

    def drain(self) -> int:
        """SIGTERM, and its exit code: 0 if every request was answered."""
        self.process.signal(signal.SIGTERM)
        return self.process.await_end()

    def requests_seen(self) -> list[str]:
        """Method and target of all that reached the handler."""
        return self.seen.read_text().splitlines() if self.seen.exists() else []


@contextmanager
def listening() -> Iterator[socket.socket]:
    """Who holds the port, whichever Handoff serves on it."""
    with socket.create_server(("127.0.0.1", 0), backlog=4096) as held:
        yield held


def port_of(held: socket.socket) -> int:
    port: int = held.getsockname()[1]
    return port


def refusing(seen: Path) -> dict[str, Any]:
    """Settings and pools with requests that get no answer: /late takes longer than it may, and nobody serves /nobody."""
    late = {**echo(seen), "routes": [{"path": "/late"}], "requestTimeout": "100ms"}
    return {
        "noWorkerGrace": "1ms",
        "pools": {"echo": echo(seen), "late": late, "nobody": {"routes": [{"path": "/nobody"}]}},
    }


def serving(seen: Path) -> dict[str, Any]:
    """Requests wait for a worker as long as a busy machine takes to start one."""
    return {"noWorkerGrace": "50s", "pools": {"echo": echo(seen)}}


def echo(seen: Path) -> dict[str, Any]:
    return {"command": str(ECHO), "workers": 1, "environment": {"ECHO_SEEN": str(seen)}, "routes": [{"path": "/"}]}


@contextmanager
def run(
    folder: Path,
    held: socket.socket | None,
    pools: Callable[[Path], dict[str, Any]] = serving,
    settings: Mapping[str, Any] | None = None,
) -> Iterator[Handoff]:
    """Until its own workers are ready."""
    folder.mkdir()
    seen = folder / "seen"
    configuration = {
        "adminHost": "127.0.0.1",
        "adminPort": 0,
        "socket": str(folder / "handoff.sock"),
        "trustedProxy": TRUSTED,
        **pools(seen),
        **(settings or {}),
    }
    file = folder / "handoff.json"
    file.write_text(json.dumps(configuration))
    command = [str(ROOT / "handoff"), "serve", "--config", str(file)]
    own = sum("command" in pool for pool in configuration["pools"].values())
    with process.run(command, folder / "handoff.log", held) as running:
        admin_port = int(running.await_line(r"dashboard +http://[\d.]+:(\d+)"))
        server = Handoff(str(configuration["adminHost"]), admin_port, seen, running)
        until(lambda: len(server.workers()) == own or None, "ready workers")
        yield server
