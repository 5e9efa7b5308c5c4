"""The images by themselves, as with `docker run`."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from harness.commands import say
from harness.engine import Engine
from harness.project import Project, project
from live.client import ask
from live.ports import free_ports
from live.process import until

IMAGES = ("handoff-python", "handoff-node")
# On disk: Java, our jars, the cache of their classes and the SDKs.
LARGEST_MIB = 72
CONFINED = ("--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges:true")


@pytest.fixture(scope="module")
def alone(engine: Engine) -> Engine:
    """An engine with the images that start their workers themselves."""
    say(f"building {' and '.join(IMAGES)}")
    with project(engine, "handoff-tests-alone", [Path(__file__).with_name("alone.yml")], builds=IMAGES) as made:
        made.compose("build", *IMAGES)
    return engine


@pytest.mark.parametrize("image", IMAGES)
def test_one_container_starts_its_workers_and_serves(alone: Engine, image: str) -> None:
    language = image.removeprefix("handoff-").title()
    with running(alone, image) as (container, port):
        until(lambda: healthy(alone, container) or None, f"{image} is healthy")

        assert ask(port, "GET", "/").text == f"hello from {language} on {container[:12]}\n"

        alone.docker("stop", container)
        assert inspected(alone, container)["State"]["ExitCode"] == 0


def test_the_cache_of_the_virtual_machine_is_used(up: Project, engine: Engine) -> None:
    """It fits the runtime, the jars and their times, which an image could have changed."""
    flags = "HANDOFF_JAVA_OPTS=-XX:+UseParallelGC -XX:-UsePerfData -Xlog:class+load"
    loaded = re.findall(r" source: (.*)", engine.docker("run", "--rm", "--env", flags, "handoff", "--version"))

    assert len(loaded) > 100
    assert sum(source.startswith("shared objects file") for source in loaded) > 0.9 * len(loaded)


def test_the_image_says_what_it_is(up: Project, engine: Engine) -> None:
    config = json.loads(engine.docker("image", "inspect", "handoff"))[0]["Config"]

    assert config["Labels"]["org.opencontainers.image.licenses"] == "Apache-2.0"
    assert {"title", "description"} <= {label.split(".")[-1] for label in config["Labels"]}
    told = engine.docker("run", "--rm", "handoff", "--version")
    assert config["Labels"]["org.opencontainers.image.version"] == told.split()[1]
    assert config["User"] == "10001:10001"
    assert config["StopSignal"] == "SIGTERM"


def test_what_is_ours_in_an_image_stays_below_its_limit(up: Project, engine: Engine) -> None:
    for name in ("debian:trixie-slim", "handoff", "handoff-example-python", "handoff-example-node"):
        size = int(engine.docker("image", "inspect", "--format", "{{.Size}}", name))
        say(f"{name} has {size / 1e6:.0f} MB")
    used = engine.docker("run", "--rm", "--entrypoint", "du", "handoff", "-sm", "/opt/handoff")
    say(f"in it, MiB: {used}")
    assert int(used.split()[0]) < LARGEST_MIB


@contextmanager
def running(engine: Engine, image: str) -> Iterator[tuple[str, int]]:
    (port,) = free_ports(1)
    container = engine.docker("run", "--detach", "--publish", f"127.0.0.1:{port}:8080", *CONFINED, image)
    try:
        yield container, port
    finally:
        engine.docker("rm", "--force", "--volumes", container)


def healthy(engine: Engine, container: str) -> bool:
    state = inspected(engine, container)["State"]
    assert state["Running"], engine.docker("logs", container)
    return bool(state["Health"]["Status"] == "healthy")


def inspected(engine: Engine, container: str) -> Any:
    return json.loads(engine.docker("inspect", container))[0]
