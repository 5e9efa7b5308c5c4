"""What the tests share: a distribution, packed once for all of them, and bare roots to install packages into. pytest puts the folder of this file on the path."""

import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import bare_root
import packages
import pytest
from bare_root import BareRoot
from clean_room import CleanRoom
from components import ROOT


@pytest.fixture(scope="session")
def packed() -> list[Path]:
    """What `make deb` leaves: the archive, and the Debian package where there is dpkg."""
    kind = ["deb"] if shutil.which("dpkg-deb") else []
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HANDOFF_")}
    done = subprocess.run(
        [ROOT / "scripts" / "dist", *kind], check=False, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return [ROOT / line for line in done.stdout.splitlines()]


@pytest.fixture(scope="session")
def archive(packed: list[Path]) -> Path:
    return next(path for path in packed if path.name.endswith(".tar.gz"))


@pytest.fixture(scope="session")
def elsewhere() -> Iterator[Path]:
    """A folder with a space in its name, that others may enter as well: those of pytest are its user's alone."""
    folder = Path(tempfile.mkdtemp(prefix="handoff elsewhere "))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def unpacked(archive: Path, elsewhere: Path) -> Path:
    """The folder in the archive, unpacked elsewhere."""
    place = elsewhere / "archive"
    place.mkdir()
    with tarfile.open(archive) as opened:
        opened.extractall(place, filter="tar")
    (folder,) = place.iterdir()
    return folder


@pytest.fixture(scope="session")
def clean_room(elsewhere: Path) -> CleanRoom:
    return CleanRoom.make(elsewhere / "room")


@pytest.fixture(scope="session")
def cache() -> Path:
    if os.geteuid() != 0 or platform.system() != "Linux":
        pytest.skip("bare roots need root on Linux")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "handoff-packages"


@pytest.fixture(scope="session")
def distribution() -> Path:
    done = subprocess.run([ROOT / "scripts" / "dist", "folder"], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return ROOT / done.stdout.strip()


@pytest.fixture(scope="session")
def our_packages(distribution: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("packages") / "packages"
    packages.main(distribution, place)
    return place


@pytest.fixture(scope="session")
def next_packages(distribution: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("packages") / "next"
    packages.main(distribution, place, bare_root.NEXT)
    return place


@pytest.fixture(scope="module")
def python_root(cache: Path, our_packages: Path, next_packages: Path) -> Iterator[BareRoot]:
    """With Python alone, and with all wheels in /packages, the next version of ours in /next."""
    wheels = cache / "wheels"
    fetch_wheels(wheels)
    with bare_root.bare_root(cache, "python3", "python3-venv") as root:
        shutil.copytree(wheels, root.path("/packages"))
        shutil.copytree(our_packages / "pip", root.path("/packages"), dirs_exist_ok=True)
        shutil.copytree(next_packages / "pip", root.path("/next"))
        yield root


def fetch_wheels(place: Path) -> None:
    """Those of the root's Python, whatever Python this is."""
    system = [
        f"--platform={each}_{platform.machine()}" for each in ("manylinux_2_28", "manylinux_2_17", "manylinux2014")
    ]
    target = [f"--python-version={bare_root.PYTHON}", "--implementation=cp", *system, "--no-deps", "--dest", str(place)]
    target += ["--requirement", str(ROOT / "packaging" / "requirements.lock.txt")]
    fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--require-hashes", "--only-binary=:all:", *target]
    subprocess.run(fetch, check=True)


@pytest.fixture(scope="module")
def node_root(cache: Path, our_packages: Path, next_packages: Path) -> Iterator[BareRoot]:
    """With this machine's Node and its npm alone, and with Express in npm's cache."""
    fetched = cache / "npm"
    quickstart = cache / "quickstart"
    shutil.copytree(bare_root.QUICKSTART, quickstart, dirs_exist_ok=True)
    ci = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", f"--cache={fetched}"]
    subprocess.run(ci, cwd=quickstart, check=True)
    with bare_root.bare_root(cache) as root:
        put_node(root)
        if not root.run("node --version && npm --version", user=0, check=False):
            pytest.skip("this machine's Node needs libraries of its own, so it cannot be put into a bare root")
        shutil.copytree(our_packages / "npm", root.path("/packages"))
        shutil.copytree(next_packages / "npm", root.path("/next"))
        shutil.copytree(fetched, root.path("/npm"))
        root.path("/npm").chmod(0o755)
        subprocess.run(["chown", "-R", "1000:1000", root.path("/npm")], check=True)
        registry = subprocess.run(["npm", "config", "get", "registry"], check=True, capture_output=True, text=True)
        root.write("/home/ann/.npmrc", f"offline=true\ncache=/npm\naudit=false\nfund=false\nregistry={registry.stdout}")
        yield root


def put_node(root: BareRoot) -> None:
    node, npm = (os.path.realpath(shutil.which(each) or each) for each in ("node", "npm"))
    shutil.copy(node, root.path("/usr/local/bin/node"))
    shutil.copytree(Path(npm).parents[1], root.path("/usr/local/lib/node_modules/npm"), symlinks=True)
    for command in ("npm", "npx"):
        root.path(f"/usr/local/bin/{command}").symlink_to(f"../lib/node_modules/npm/bin/{command}-cli.js")
