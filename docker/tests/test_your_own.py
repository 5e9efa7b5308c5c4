"""What docker/README.md shows: a handler of one's own, and one in a language that has no SDK."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.commands import say
from harness.engine import Engine
from harness.project import Project, project

FOLDER = Path(__file__).parents[1]
README = (FOLDER / "README.md").read_text()


@pytest.fixture(scope="module")
def own(up: Project, engine: Engine) -> Iterator[Project]:
    """The image `handoff` is there: it is what the project `up` runs."""
    with project(engine, "handoff-tests-own", [FOLDER / "your-own.yml"], builds=["ruby"]) as made:
        say("building images of one's own")
        made.compose("up", "--detach", "--wait", "--build")
        yield made


def test_a_handler_is_served_from_an_image_of_five_lines(own: Project) -> None:
    assert own.get("/?name=Ada").text == "hello Ada\n"
    assert len((FOLDER / "your-handler" / "Dockerfile").read_text().splitlines()) == 5


def test_a_language_without_an_sdk_is_served(own: Project) -> None:
    assert own.get("/ruby/x").text == "hello from Ruby to /ruby/x\n"


def test_a_language_without_an_sdk_ends_with_0(own: Project) -> None:
    own.compose("stop", "ruby")

    assert own.container("ruby")["State"]["ExitCode"] == 0


@pytest.mark.parametrize(
    "file", ["your-own.yml", "your-own/handoff.json", "your-handler/Dockerfile", "your-handler/main.py"]
)
def test_the_readme_shows_what_is_tested(file: str) -> None:
    assert (FOLDER / file).read_text().strip() in README
