"""What an operator does to a running core, by the commands that its image has."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.engine import Engine
from harness.project import Project, fails, project

CONFIG = Path(__file__).parents[1] / "config"


@pytest.fixture
def own_config(up: Project, engine: Engine, tmp_path: Path) -> Iterator[tuple[Project, Path]]:
    """A project with a configuration of its own, and its file."""
    folder = tmp_path / "config"
    shutil.copytree(CONFIG, folder)
    # The core is another user, who has to reach it.
    for each in (*tmp_path.parents[:2], tmp_path, folder):
        each.chmod(0o755)
    mounted = tmp_path / "config.yml"
    mounted.write_text(f'services: {{handoff: {{volumes: ["{folder}:/etc/handoff:ro"]}}}}\n')
    with project(engine, "handoff-tests-reload", [mounted]) as made:
        made.compose("up", "--detach", "--wait")
        yield made, folder / "handoff.json"


def test_a_reload_reads_the_file_that_took_the_place_of_the_old_one(own_config: tuple[Project, Path]) -> None:
    made, file = own_config
    # As sed -i, editors and git do.
    other = file.with_suffix(".new")
    other.write_text(file.read_text().replace("/node", "/js"))
    other.replace(file)

    assert made.inside("handoff", "handoff", "reload", "--wait") == "the server: done"
    assert made.get("/js").text.startswith("hello from Node")
    assert "nothing in it has changed" in made.inside("handoff", "handoff", "reload", "--wait")


def test_the_command_says_why_the_server_refuses(up: Project) -> None:
    assert "the workers of this pool are started elsewhere" in fails(up, "handoff", "handoff", "reload", "python")
    assert "there is no worker python-9" in fails(up, "handoff", "handoff", "drain", "python-9")
