"""A Compose project of this checkout, under a name and on ports of its own."""

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from live.client import Answer, ask
from live.ports import free_ports
from live.process import until

from harness.commands import CommandFailed
from harness.engine import Engine

ROOT = Path(__file__).resolve().parents[2]
BUILT = ("handoff", "python", "node")
BUILD_SECONDS = 1800
READY_SECONDS = 300
"""Until all that `up --wait` starts is healthy."""


@dataclass(frozen=True)
class Project:
    engine: Engine
    port: int
    admin_port: int
    prometheus_port: int

    def compose(self, *arguments: str) -> str:
        waits = ["--wait-timeout", str(READY_SECONDS)] if {"up", "--wait"} <= {*arguments} else []
        return self.engine.docker("compose", *arguments, *waits, folder=ROOT, limit_seconds=BUILD_SECONDS)

    def inside(self, service: str, *command: str) -> str:
        return self.compose("exec", "-T", service, *command)

    def containers(self, service: str) -> list[str]:
        return self.compose("ps", "--all", "--quiet", service).split()

    def container(self, service: str) -> Any:
        """What the engine knows of the only one."""
        (identity,) = self.containers(service)
        return json.loads(self.engine.docker("inspect", identity))[0]

    def get(self, path: str) -> Answer:
        return ask(self.port, "GET", path)

    def admin(self, path: str, token: str | None = None) -> Answer:
        return ask(self.admin_port, "GET", path, {"Authorization": f"Bearer {token}"} if token else {})

    def token(self) -> str:
        return self.inside("handoff", "cat", "/var/lib/handoff/admin-token")

    def asked(self, path: str) -> Any:
        return self._asked(path, self.token())

    def await_running(self, target: str, count: int, token: str) -> None:
        """Until so many requests for it are with a worker; the token was read before, which takes longer than some requests."""

        def running() -> int:
            requests = self._asked("/requests", token)["requests"]
            return sum(each["target"] == target and each["state"] == "running" for each in requests)

        until(lambda: running() == count or None, f"{count} requests for {target} are running")

    def _asked(self, path: str, token: str) -> Any:
        answer = self.admin(path, token)
        assert answer.status == 200, answer
        return json.loads(answer.text)


@contextmanager
def project(engine: Engine, name: str, files: Sequence[Path] = (), builds: Sequence[str] = ()) -> Iterator[Project]:
    """
    Nothing of it is there before, and nothing after. Files are Compose files besides the usual one, with services that they build
    besides the usual ones.
    """
    port, admin_port, prometheus_port = free_ports(3)
    with tempfile.TemporaryDirectory() as folder:
        used = [ROOT / "docker-compose.yml", *files]
        if engine.own:
            used.append(on_host_network(Path(folder), [*BUILT, *builds]))
        environment = {
            "COMPOSE_FILE": ":".join(str(each) for each in used),
            "COMPOSE_PROJECT_NAME": name,
            "HANDOFF_PORT": str(port),
            "HANDOFF_ADMIN_PORT": str(admin_port),
            "PROMETHEUS_PORT": str(prometheus_port),
        }
        made = Project(engine.with_environment(environment), port, admin_port, prometheus_port)
        down(made)
        try:
            yield made
        finally:
            down(made)


def on_host_network(folder: Path, services: Sequence[str]) -> Path:
    """On an engine of the tests containers have no way out to packages, but the machine may have."""
    file = folder / "host-network.json"
    file.write_text(json.dumps({"services": {each: {"build": {"network": "host"}} for each in services}}))
    return file


def down(made: Project) -> None:
    made.compose("--profile", "*", "down", "--volumes", "--remove-orphans", "--timeout", "1")


def fails(made: Project, service: str, *command: str) -> str:
    """What a command inside says, which has to fail."""
    try:
        said = made.inside(service, *command)
    except CommandFailed as failed:
        return str(failed)
    raise AssertionError(f"{command} did not fail: {said}")
