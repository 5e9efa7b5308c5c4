"""What the tests share: a distribution, packed once for all of them. pytest puts the folder of this file on the path."""

import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
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
