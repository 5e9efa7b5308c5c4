"""An engine as a Swarm of one node, and a stack on it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from live.client import ask
from live.ports import free_ports
from live.process import until

from harness.engine import Engine

FILE = Path(__file__).resolve().parents[2] / "deploy" / "swarm.yml"
NAME = "handoff-tests-stack"
LABEL = "com.docker.swarm.service.name"


@dataclass(frozen=True)
class Stack:
    engine: Engine
    port: int

    def deploy(self, image: str) -> None:
        """As operators do; none of the images is in a registry."""
        chosen = self.engine.with_environment({"APP_IMAGE": image, "PORT": str(self.port)})
        chosen.docker("stack", "deploy", "--resolve-image", "never", "--compose-file", FILE, NAME)

    def await_update(self, state: str) -> None:
        """Until it has ended so, and the tasks that had to go are gone."""
        until(lambda: self._update() == state or None, f"the update is {state}")
        until(lambda: len(self.tasks()) == 2 or None, "two tasks are left")

    def _update(self) -> str:
        told = "{{with .UpdateStatus}}{{.State}}{{end}}"
        return self.engine.docker("service", "inspect", "--format", told, f"{NAME}_app")

    def tasks(self, *filters: str) -> list[str]:
        """The containers of the application that run."""
        wanted = [word for each in (f"label={LABEL}={NAME}_app", *filters) for word in ("--filter", each)]
        return self.engine.docker("ps", "--quiet", *wanted).split()


@contextmanager
def stack(engine: Engine, image: str) -> Iterator[Stack]:
    """Serves, with both of its tasks."""
    (port,) = free_ports(1)
    engine.docker("swarm", "init", "--advertise-addr", "127.0.0.1", "--listen-addr", "127.0.0.1")
    try:
        made = Stack(engine, port)
        made.deploy(image)
        until(lambda: serves(port) or None, f"{image} serves")
        until(lambda: len(made.tasks("health=healthy")) == 2 or None, "both tasks are healthy")
        yield made
    finally:
        engine.docker("swarm", "leave", "--force")


def serves(port: int) -> bool:
    try:
        return ask(port, "GET", "/").status == 200
    except OSError:
        return False
