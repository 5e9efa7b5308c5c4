"""Each adapter passes its own checks, which need its language, and `handoff check`."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ADAPTERS = Path(__file__).parents[1]
ROOT = ADAPTERS.parent


def run(*command: str, folder: Path) -> None:
    """In the folder; what it says is shown where it fails."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HANDOFF_")}
    done = subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def needs(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program} on the PATH")


def test_go_answers_as_net_http_does(tmp_path: Path) -> None:
    needs("go")
    run("go", "vet", "./...", folder=ADAPTERS / "go")
    run("go", "test", "-count=1", "./...", folder=ADAPTERS / "go")
    run("go", "build", "-o", str(tmp_path / "server"), "./example", folder=ADAPTERS / "go")
    check = [str(ROOT / "handoff"), "check", "--measure", "0s", "--timeout", "60s", "--stream", "/clock"]
    run(*check, str(tmp_path / "server"), folder=ADAPTERS / "go")
