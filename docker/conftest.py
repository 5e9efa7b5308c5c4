"""
One engine for all tests, and one `docker compose up` for those that leave it as it was.

Pytest puts the folder of a conftest.py on the path, so the tests can import the harness. Processes and clients are those of the tests of
monitoring.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "monitoring"))

from harness import cache, compose_plugin, stand_ins
from harness.commands import say
from harness.engine import Engine, Unavailable, found_or_started
from harness.project import Project, project


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with ExitStack() as ended_last:
        try:
            folder = ended_last.enter_context(cache.held())
            found = ended_last.enter_context(found_or_started(folder))
            ready = compose_plugin.provided(found, folder)
        except Unavailable as missing:
            if os.environ.get("HANDOFF_DOCKER") == "required":
                raise
            pytest.skip(str(missing))
        stand_ins.provide(ready, folder)
        yield ready


@pytest.fixture(scope="session")
def up(engine: Engine) -> Iterator[Project]:
    """From nothing, word for word as the README has it."""
    with project(engine, "handoff-tests") as made:
        say("docker compose up, which builds the images: quick when nothing has changed")
        if engine.own:
            made.compose("down", "--rmi", "all")
        else:
            # Somebody may be using those of the last build.
            made.compose("build")
        made.compose("up", "--detach", "--wait")
        yield made


@pytest.fixture
def slow(up: Project, engine: Engine) -> Iterator[Project]:
    """One of its own, whose requests to Python take as long as they say."""
    with project(engine, "handoff-tests-slow", [Path(__file__).with_name("tests") / "slow.yml"]) as made:
        made.compose("up", "--detach", "--wait")
        yield made
