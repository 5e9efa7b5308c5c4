"""pypiserver, an index of Python packages: a package of 50 MB is uploaded as twine does it, and pip downloads and installs it."""

import hashlib
import os
import subprocess
import sys
import zipfile
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
import requests
from served import free_port, handoff, own_server

LARGE_BYTES = 50_000_000
INFO = "handoff_real-1.2.3.dist-info"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("wheel") / "handoff_real-1.2.3-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("handoff_real/large.bin", os.urandom(LARGE_BYTES))
        archive.writestr(f"{INFO}/METADATA", "Metadata-Version: 2.1\nName: handoff-real\nVersion: 1.2.3\n")
        archive.writestr(f"{INFO}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{INFO}/RECORD", f"handoff_real/large.bin,,\n{INFO}/RECORD,,\n")
    return file


def pip(url: str, *words: str) -> None:
    command = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "--no-cache-dir", *words]
    run = subprocess.run([*command, "--no-deps", "--index-url", f"{url}/simple/", "handoff-real"], check=False)
    assert run.returncode == 0


def use(server: AbstractContextManager[str], wheel: Path, folder: Path) -> list[int]:
    with server as url:
        with wheel.open("rb") as content:
            form = {":action": "file_upload", "name": "handoff-real", "version": "1.2.3"}
            uploaded = requests.post(url, data=form, files={"content": (wheel.name, content)}, timeout=300)
        pip(url, "download", "--quiet", "--dest", str(folder / "downloaded"))
        pip(url, "install", "--quiet", "--target", str(folder / "installed"))
        index = requests.get(f"{url}/simple/handoff-real/", timeout=60)
        link = f"{url}/packages/{wheel.name}"
        part = requests.get(link, headers={"Range": "bytes=1000000-1999999"}, timeout=60)
        head = requests.head(link, timeout=60)
        nothing = requests.get(f"{url}/packages/nothing.whl", timeout=60)
    assert digest((folder / "downloaded" / wheel.name).read_bytes()) == digest(wheel.read_bytes())
    with zipfile.ZipFile(wheel) as archive:
        large = archive.read("handoff_real/large.bin")
    assert digest((folder / "installed/handoff_real/large.bin").read_bytes()) == digest(large)
    assert part.content == wheel.read_bytes()[1_000_000:2_000_000]
    assert head.headers["content-length"] == str(wheel.stat().st_size)
    return [each.status_code for each in (uploaded, index, part, head, nothing)]


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_pip_downloads_and_installs(wheel: Path, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        (folder / "packages").mkdir(parents=True)
    served = use(
        handoff("packages:app", environment={"PACKAGES_FOLDER": str(folders[0] / "packages")}), wheel, folders[0]
    )
    port = free_port()
    words = ("-m", "pypiserver", "run", "-p", str(port), "-i", "127.0.0.1", "-P", ".", "-a", ".")
    own = use(own_server(sys.executable, *words, str(folders[1] / "packages"), port=port), wheel, folders[1])
    print("pypiserver:", served)
    assert served == own == [200, 200, 206, 200, 404]
