"""
The Dockerfiles of examples-other: each makes an image whose worker serves, confined as the others of Compose are.

Of the languages that HANDOFF_LANGUAGES names: all of them take minutes, and more room than the cache of the tests has.
"""

import json
import os
from collections.abc import Iterator

import pytest
from harness.commands import say
from harness.engine import Engine
from harness.project import ROOT, Project, project
from live.client import ask

ALL = sorted(file.parent.name for file in (ROOT / "examples-other").glob("*/Dockerfile"))
LANGUAGES = [name for name in ALL if name in os.environ.get("HANDOFF_LANGUAGES", "").split()]

if not LANGUAGES:
    pytest.skip(f"HANDOFF_LANGUAGES names none of {', '.join(ALL)}", allow_module_level=True)


@pytest.fixture(scope="module")
def core(up: Project, engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """With a pool for each language, which serves a host of its own. The image `handoff` is there: the project `up` runs it."""
    folder = tmp_path_factory.mktemp("languages")
    pools = {name: {"routes": [{"host": host(name)}]} for name in LANGUAGES}
    (folder / "handoff.json").write_text(json.dumps({"pools": pools}))
    folder.chmod(0o755)
    services: dict[str, object] = {name: service(name) for name in LANGUAGES}
    services["handoff"] = {"volumes": [f"{folder}:/etc/handoff:ro"]}
    file = folder / "languages.json"
    file.write_text(json.dumps({"services": services}))
    with project(engine, "handoff-tests-languages", [file], builds=LANGUAGES) as made:
        made.compose("up", "--detach", "--no-deps", "handoff")
        yield made


def host(language: str) -> str:
    return f"{language}.example.org"


def service(language: str) -> dict[str, object]:
    return {
        "extends": {"file": str(ROOT / "docker-compose.yml"), "service": "python"},
        "build": {"context": str(ROOT / "examples-other" / language), "dockerfile": "Dockerfile"},
        "image": f"handoff-example-{language}",
        "environment": {"HANDOFF_POOL": language},
        # These workers keep no HANDOFF_READY_FILE.
        "healthcheck": {"disable": True},
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_image_serves_and_ends_with_0(core: Project, language: str) -> None:
    say(f"building the worker in {language}")
    core.compose("build", language)
    core.compose("up", "--detach", "--no-deps", language)

    answer = ask(core.port, "GET", "/", {"Host": host(language)})  # waits for the worker
    assert (answer.status, answer.text) == (200, "hello\n"), core.compose("logs", language)

    core.compose("stop", language)
    assert core.container(language)["State"]["ExitCode"] == 0, core.compose("logs", language)
