"""What the first minutes look like: an empty virtual environment, Flask and the wheel in it, one command."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from serving import ROOT, serving

FLASK = (
    "--require-hashes",
    "--only-binary",
    ":all:",
    "--requirement",
    ROOT / "sdk-python/tests/requirements-quickstart.lock.txt",
)

# As https://flask.palletsprojects.com/quickstart/ has it.
QUICKSTART = """\
from flask import Flask

app = Flask(__name__)

@app.route("/")
def hello_world():
    return "<p>Hello, World!</p>"
"""

OUTSIDE = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}


def run(*command: str | Path, folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, env=OUTSIDE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
    return done.stdout.strip()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with quickstart.py and an environment that has nothing but Flask and the wheel."""
    folder = tmp_path_factory.mktemp("project")
    wheels = tmp_path_factory.mktemp("wheels")
    build = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    run(*build, "--wheel-dir", wheels, ROOT / "sdk-python", folder=folder)
    (wheel,) = wheels.glob("handoff_worker-*.whl")
    venv.create(folder / ".venv", with_pip=True)
    pip = (folder / ".venv/bin/python", "-m", "pip", "install", "--quiet")
    run(*pip, *FLASK, folder=folder)
    run(*pip, "--no-index", wheel, folder=folder)
    (folder / "quickstart.py").write_text(QUICKSTART)
    return folder


def test_wheel_brings_everything_and_needs_nothing(project: Path) -> None:
    python = project / ".venv/bin/python"
    place = run(
        python,
        "-c",
        "import handoff_worker, handoff_worker.asgi.application, handoff_worker.wsgi.application; print(handoff_worker.__file__)",
        folder=project,
    )
    assert place.startswith(str(project))
    assert (Path(place).parent / "py.typed").exists()
    assert run(python, "-m", "handoff_worker", "--version", folder=project).startswith("handoff-worker ")
    assert run(python, "-m", "pip", "check", folder=project) == "No broken requirements found."


@pytest.mark.parametrize("application", ["quickstart.py", "quickstart:app"])
def test_one_command_serves_the_quickstart_of_flask(project: Path, application: str) -> None:
    with serving(application, folder=project, environment={"VIRTUAL_ENV": ""}) as server:
        assert server.ask("GET", "/") == (200, b"<p>Hello, World!</p>")
