"""Docker Compose v2: as it is installed, or built from its Go module where it is not."""

import json
import os
import shutil
from pathlib import Path

from harness.commands import run, say, succeeds
from harness.engine import Engine, Unavailable

MODULE = "github.com/docker/compose/v2"
VERSION = "v2.40.3"
BUILD_SECONDS = 3600
"""Two minutes of work for two cores that have nothing else to do."""


def provided(engine: Engine, cache: Path) -> Engine:
    """The engine, with a `docker compose`."""
    if succeeds(["docker", "compose", "version"], engine.environment):
        return engine
    settings = cache / f"compose-{VERSION}"
    plugin = settings / "cli-plugins" / "docker-compose"
    if not plugin.exists():
        build(plugin)
    # A folder of its own instead of the user's, with whose context the address of the engine goes too.
    return engine.with_environment({"DOCKER_CONFIG": str(settings), "DOCKER_HOST": engine.address()})


def build(plugin: Path) -> None:
    go = shutil.which("go")
    if not go:
        raise Unavailable("there is no Docker Compose v2, nor a Go (1.24 or newer) to build it with")
    say(f"building Docker Compose {VERSION}, which takes some minutes; the next run has it")
    # A module that is already known by name needs no project around it; the folder keeps Go from taking that of the checkout.
    nowhere = {"GOWORK": "off", "GOFLAGS": os.environ.get("GOFLAGS", "") + " -buildvcs=false"}
    plugin.parent.mkdir(parents=True, exist_ok=True)
    downloaded = run(
        [go, "mod", "download", "-json", f"{MODULE}@{VERSION}"],
        environment=nowhere,
        folder=plugin.parent,
        limit_seconds=BUILD_SECONDS,
    )
    sources = Path(json.loads(downloaded)["Dir"])
    unfinished = plugin.with_suffix(".unfinished")
    version = f"-X {MODULE}/internal.Version={VERSION}"
    run(
        [go, "build", "-trimpath", "-ldflags", f"-s -w {version}", "-o", unfinished, "./cmd"],
        environment=nowhere,
        folder=sources,
        limit_seconds=BUILD_SECONDS,
    )
    unfinished.rename(plugin)
