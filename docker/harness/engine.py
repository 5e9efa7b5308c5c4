"""The Docker engine: the one that is there, or one that is started by hand and ended with the tests."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from harness.commands import CommandFailed, run, say, succeeds
from harness.host import left_as_it_was

START_SECONDS = 60
END_SECONDS = 60
KEPT_OF_BUILDS = "4GB"


class Unavailable(Exception):
    """Here is no engine, and none can be started; says what is missing."""


@dataclass(frozen=True)
class Engine:
    own: bool
    """Started here: no image can be taken for granted."""

    environment: Mapping[str, str] = field(default_factory=dict)

    def docker(self, *arguments: str | Path, limit_seconds: float = 600, folder: Path | None = None) -> str:
        return run(
            ["docker", *arguments], environment=self.environment, limit_seconds=limit_seconds, folder=folder
        ).strip()

    def with_environment(self, more: Mapping[str, str]) -> "Engine":
        return replace(self, environment={**self.environment, **more})

    def address(self) -> str:
        return self.environment.get("DOCKER_HOST") or self.docker(
            "context", "inspect", "--format", "{{.Endpoints.docker.Host}}"
        )


@contextmanager
def found_or_started(cache: Path) -> Iterator[Engine]:
    if not shutil.which("docker"):
        raise Unavailable("there is no docker command")
    if succeeds(["docker", "info", "--format", "{{.ServerVersion}}"]):
        yield Engine(own=False)
        return
    if sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("dockerd"):
        raise Unavailable("no Docker engine answers, and only root on Linux with dockerd can start one")
    with left_as_it_was(cache), started(cache / "engine") as engine:
        yield engine


@contextmanager
def started(data: Path) -> Iterator[Engine]:
    """
    An engine whose images stay in the folder. All else of it is in a folder of its own, and what it mounts in a mount namespace of
    its own, so that nothing of it is left when it is gone.
    """
    with tempfile.TemporaryDirectory(prefix="handoff-docker-") as folder:
        address = f"unix://{folder}/docker.sock"
        command = ["unshare", "--mount", "dockerd", "--host", address, "--data-root", str(data)]
        command += ["--exec-root", f"{folder}/exec", "--pidfile", f"{folder}/pid"]
        settings = Path(folder, "daemon.json")
        settings.write_text(json.dumps({"builder": {"gc": {"enabled": True, "defaultKeepStorage": KEPT_OF_BUILDS}}}))
        command += ["--config-file", str(settings)]
        log = Path(folder, "log")
        with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as daemon:
            try:
                engine = Engine(own=True, environment={"DOCKER_HOST": address})
                await_answer(engine, daemon, log)
                say(f"started an engine, {engine.docker('info', '--format', '{{.ServerVersion}}, {{.Driver}}')}")
                forget_last_run(engine)
                yield engine
            finally:
                end(daemon)


def await_answer(engine: Engine, daemon: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not succeeds(["docker", "info"], engine.environment):
        if daemon.poll() is not None or time.monotonic() > deadline:
            raise CommandFailed(f"dockerd does not start:\n{log.read_text()[-4000:]}")
        time.sleep(0.2)


def forget_last_run(engine: Engine) -> None:
    """What was left behind, if it was killed: a Swarm, containers that are started with the engine, images that lost their names."""
    if engine.docker("info", "--format", "{{.Swarm.LocalNodeState}}") != "inactive":
        engine.docker("swarm", "leave", "--force")
    containers = engine.docker("ps", "--all", "--quiet").split()
    if containers:
        engine.docker("rm", "--force", "--volumes", *containers)
    for kind in ("network", "volume", "image"):
        engine.docker(kind, "prune", "--force")


def end(daemon: "subprocess.Popen[bytes]") -> None:
    """On TERM it ends its containers first."""
    daemon.terminate()
    try:
        daemon.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        daemon.kill()
