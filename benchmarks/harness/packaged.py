"""Our packages of pip and npm, on the Java that each brings: started with the AOT cache that the first start has made, and without."""

import sys
import time
import venv
from pathlib import Path

from harness.start_up import Starter, measure_one
from harness.workspace import ROOT, Unavailable, Workspace, find, output_of

TRAINING_SECONDS = 120
# No folder can be made below it, not even by root.
NOWHERE = Path("/dev/null")
ONE_WORKER = ["--workers", "1", "--port", "0", "--admin-port", "0"]


def packaged(workspace: Workspace, folder: Path) -> list[Starter]:
    """
    :param folder: the distribution that the packages are made of
    """
    made = workspace.folder("packages") / "made"
    output_of(sys.executable, ROOT / "packaging" / "packages.py", folder, made)
    pip: list[str | Path] = [_by_pip(workspace, made / "pip"), "run", folder / "examples-python" / "hello.py"]
    npm: list[str | Path] = [_by_npm(workspace, made / "npm"), "run", folder / "examples-node" / "hello.mjs"]
    return [
        *_with_and_without(workspace, "pip", "Handoff of pip, Python worker", pip),
        *_with_and_without(workspace, "npm", "Handoff of npm, Node worker", npm),
    ]


def _with_and_without(workspace: Workspace, key: str, title: str, command: list[str | Path]) -> list[Starter]:
    caches = workspace.folder("packages") / f"cache-{key}"
    words = [*map(str, command), *ONE_WORKER]
    version = output_of(command[0], "--version")

    def starter(suffix: str, how: str, place: Path) -> Starter:
        environment = workspace.environment() | {"XDG_CACHE_HOME": str(place)}
        return Starter(f"{key}{suffix}", f"{title}{how}", version, words, environment)

    with_cache = starter("", "", caches)
    _await_cache(with_cache, caches / "handoff")
    return [with_cache, starter("-small", ", without the AOT cache", NOWHERE)]


def _await_cache(starter: Starter, caches: Path) -> None:
    """The first start makes it."""
    measure_one(starter, 0)
    deadline = time.monotonic() + TRAINING_SECONDS
    while any(caches.glob("*.begun")) or not any(caches.glob("*.aot")):
        if time.monotonic() > deadline:
            raise Unavailable(f"no AOT cache was made in {caches}")
        time.sleep(0.1)


def _by_pip(workspace: Workspace, wheels: Path) -> Path:
    place = workspace.folder("packages") / "venv"
    venv.create(place, clear=True, with_pip=True)
    pip: list[str | Path] = [place / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
    locked = ROOT / "packaging" / "requirements.lock.txt"
    output_of(*pip, "--require-hashes", "--only-binary", ":all:", "--requirement", locked)
    output_of(*pip, "--no-index", "--no-deps", *sorted(wheels.glob("*.whl")))
    return place / "bin" / "handoff"


def _by_npm(workspace: Workspace, tarballs: Path) -> Path:
    place = workspace.folder("packages") / "node"
    quiet = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"]
    output_of(find("npm"), "install", "--prefix", place, *quiet, *sorted(tarballs.glob("*.tgz")))
    return place / "node_modules" / ".bin" / "handoff"
