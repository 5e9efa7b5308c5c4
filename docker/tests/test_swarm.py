"""deploy/swarm.yml: new versions under load, counted by clients outside; word for word the image of docs/DEPLOYING.md."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness.commands import say
from harness.engine import Engine
from harness.load import Load, load
from harness.project import ROOT, Project, project
from harness.swarm import Stack, stack

MANY = 500
HANDLER = (ROOT / "docker" / "your-handler" / "main.py").read_text()
VERSIONS = {"1": HANDLER, "2": HANDLER.replace("hello", "welcome"), "broken": "import nothing_of_that_name\n"}
SECTION = (ROOT / "docs" / "DEPLOYING.md").read_text().partition("## In a Swarm")[2].partition("\n## ")[0]


@pytest.fixture(scope="module")
def served(up: Project, engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Version 1. The image `handoff` is there: it is what the project `up` runs."""
    if not engine.own:
        pytest.skip("the engine that answers is somebody's, and is not made a Swarm")
    with project(engine, "handoff-tests-swarm", [Path(__file__).with_name("alone.yml")], ["handoff-python"]) as made:
        made.compose("build", "handoff-python")
    (dockerfile,) = re.findall(r"```dockerfile\n(.*?)```", SECTION, re.DOTALL)
    for version, handler in VERSIONS.items():
        folder = tmp_path_factory.mktemp(version)
        (folder / "Dockerfile").write_text(dockerfile)
        (folder / "main.py").write_text(handler)
        classic = engine.with_environment({"DOCKER_BUILDKIT": "0"})
        classic.docker("build", "--quiet", "--tag", f"app:{version}", folder)
    say("deploying a stack")
    with stack(engine, "app:1") as running:
        yield running


@contextmanager
def asked(running: Stack) -> Iterator[tuple[Load, Load]]:
    """Those that the proxy may repeat, and those that it may not."""
    with load(running.port, clients=4) as gets, load(running.port, clients=4, method="POST") as posts:
        yield gets, posts


def assert_nothing_was_lost(*counted: Load) -> None:
    assert [each.lost for each in counted] == [0] * len(counted), [each.outcomes for each in counted]


def test_a_new_version_takes_over_and_nothing_is_lost(served: Stack) -> None:
    before = served.tasks()
    with asked(served) as (gets, posts):
        served.deploy("app:2")
        served.await_update("completed")
        for each in (gets, posts):
            each.forget_bodies()
            each.await_more(MANY)

    say(f"updated under load: {gets.outcomes.total() + posts.outcomes.total()} requests, {gets.lost + posts.lost} lost")
    assert_nothing_was_lost(gets, posts)
    assert gets.bodies == posts.bodies == {"welcome you\n"}
    assert not {*before} & {*served.tasks()}


def test_a_version_that_does_not_start_is_taken_back_and_nothing_is_lost(served: Stack) -> None:
    """The tasks of the old one are never touched."""
    before = served.tasks()
    with asked(served) as (gets, posts):
        served.deploy("app:broken")
        served.await_update("rollback_completed")
        for each in (gets, posts):
            each.await_more(MANY)

    say(f"broken under load: {gets.outcomes.total() + posts.outcomes.total()} requests, {gets.lost + posts.lost} lost")
    assert_nothing_was_lost(gets, posts)
    assert before == served.tasks()
