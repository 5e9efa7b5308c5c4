"""What the tests share: a distribution, packed once for all of them, and bare roots to install packages into. pytest puts the folder of this file on the path."""

import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import bare_root
import furnishing
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
    subprocess.run(["tar", "-x", "-f", archive, "-C", place], check=True)
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
    """With Debian's Python alone, and with all wheels in /packages, the next version of ours in /next."""
    with bare_root.bare_root(cache, "python3", "python3-pip", "python3-venv") as root:
        furnishing.put_wheels(root, cache, our_packages)
        shutil.copytree(next_packages / "pip", root.path("/next"))
        yield root


@pytest.fixture(scope="module")
def oldest_python_root(cache: Path, our_packages: Path) -> Iterator[BareRoot]:
    with bare_root.bare_root(cache, *bare_root.WITHOUT_LANGUAGE) as root:
        furnishing.put_python(root, packages.OLDEST_PYTHON)
        furnishing.put_wheels(root, cache, our_packages)
        yield root


@pytest.fixture(scope="module")
def newest_python_root(cache: Path, our_packages: Path) -> Iterator[BareRoot]:
    with bare_root.bare_root(cache, "python3", "python3-venv", suite=bare_root.NEWEST_SUITE) as root:
        furnishing.put_wheels(root, cache, our_packages)
        yield root


@pytest.fixture(scope="module")
def node_root(cache: Path, our_packages: Path, next_packages: Path) -> Iterator[BareRoot]:
    """With this machine's Node and its npm alone, and with Express in npm's cache."""
    with bare_root.bare_root(cache, *bare_root.WITHOUT_LANGUAGE) as root:
        furnishing.put_installed_node(root)
        furnishing.put_tarballs(root, cache, our_packages)
        shutil.copytree(next_packages / "npm", root.path("/next"))
        yield root


@pytest.fixture(scope="module")
def node_24_root(cache: Path, our_packages: Path) -> Iterator[BareRoot]:
    with bare_root.bare_root(cache, *bare_root.WITHOUT_LANGUAGE) as root:
        furnishing.put_node_24(root, cache)
        furnishing.put_tarballs(root, cache, our_packages)
        yield root
