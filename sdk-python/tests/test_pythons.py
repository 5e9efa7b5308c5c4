"""The SDK's own tests on the oldest and the newest Python that this machine has, from 3.10 on."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCES = TESTS.parent / "src"
OLDEST_MINOR, NEWEST_MINOR = 10, 14
ENGINES = [
    "engine/test_blocking_engine.py",
    "engine/test_spare_threads.py",
    "engine/test_asyncio_engine.py",
    "engine/test_worker.py",
    "engine/test_concurrency.py",
    "engine/test_cancelled.py",
]
PORTABLE = [*ENGINES, "asgi", "wsgi"]
"""Those that need nothing but pytest, which every Python can run from the folder it is installed in here."""


def pythons() -> list[str]:
    """One interpreter for each minor version, the oldest first; from the PATH, and where pyenv keeps its own."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = []
    for minor in range(OLDEST_MINOR, NEWEST_MINOR + 1):
        candidates = sorted(map(str, pyenv.glob(f"3.{minor}.*/bin/python3.{minor}")), key=_patch)
        on_path = shutil.which(f"python3.{minor}")
        working = [candidate for candidate in [*([on_path] if on_path else []), *candidates] if _is(candidate, minor)]
        found += working[-1:]
    return found


def _patch(path: str) -> int:
    match = re.search(r"3\.\d+\.(\d+)", path)
    return int(match[1]) if match else 0


def _is(python: str, minor: int) -> bool:
    # The shims of pyenv lie on the PATH also for versions that are not chosen, and then fail.
    check = f"import sys; sys.exit(sys.version_info[:2] != (3, {minor}))"
    return subprocess.run([python, "-c", check], check=False, capture_output=True).returncode == 0


FOUND = pythons() or [sys.executable]


@pytest.mark.parametrize("python", dict.fromkeys([FOUND[0], FOUND[-1]]))
def test_the_tests_pass_on(python: str) -> None:
    packages = Path(pytest.__file__).parents[1]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(SOURCES), str(packages)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        # Some that are installed for this Python need it, or parts made for it.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *PORTABLE]
    finished = subprocess.run(
        command, check=False, cwd=TESTS, env=environment, capture_output=True, text=True, timeout=300
    )
    assert finished.returncode == 0, f"{python}:\n{finished.stdout[-5000:]}{finished.stderr[-2000:]}"
