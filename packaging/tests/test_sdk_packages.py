"""The packages of the SDKs are those that the tools of their languages make."""

import json
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import bill_of_materials
import pytest
from components import ROOT

# The version of the format, and who wrote it.
OWN_FIELDS = ("Metadata-Version", "Generator")


@pytest.fixture(scope="module")
def wheel(unpacked: Path) -> Path:
    (found,) = (unpacked / "sdk-python").glob("*.whl")
    return found


@pytest.fixture(scope="module")
def tarball(unpacked: Path) -> Path:
    (found,) = (unpacked / "sdk-node").glob("*.tgz")
    return found


def test_wheel_is_what_hatchling_makes(wheel: Path, tmp_path: Path) -> None:
    hatch = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(hatch, cwd=ROOT / "sdk-python", check=True, capture_output=True)
    (expected,) = tmp_path.glob("*.whl")

    ours, theirs = without_bill(in_wheel(wheel)), in_wheel(expected)
    assert wheel.name == expected.name
    assert ours.keys() == theirs.keys()
    for name in ours:
        if name.endswith(("METADATA", "WHEEL")):
            assert fields(ours[name]) == fields(theirs[name])
        elif not name.endswith("RECORD"):
            assert ours[name] == theirs[name]


def test_wheel_installs_without_a_network(wheel: Path, tmp_path: Path) -> None:
    install = ["install", "--quiet", "--no-index", "--no-deps", "--target", str(tmp_path), str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True, capture_output=True)
    program = "import handoff_worker, importlib.metadata; print(handoff_worker.__file__, importlib.metadata.version('handoff-worker'))"
    said = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": str(tmp_path)}, check=True, capture_output=True, text=True
    )

    assert said.stdout.split() == [str(tmp_path / "handoff_worker" / "__init__.py"), wheel.name.split("-")[1]]


def test_tarball_is_what_npm_makes(tarball: Path, tmp_path: Path) -> None:
    packing = ["npm", "pack", str(ROOT / "sdk-node"), "--json", "--loglevel=error"]
    packed = subprocess.run(packing, cwd=tmp_path, check=True, capture_output=True, text=True)
    (told,) = json.loads(packed.stdout)

    assert tarball.name == told["filename"]
    assert without_bill(in_tarball(tarball)) == in_tarball(tmp_path / told["filename"])


def without_bill(content: dict[str, bytes]) -> dict[str, bytes]:
    """Which the tools of the languages do not make."""
    (bill,) = (name for name in content if name.endswith(bill_of_materials.NAME))
    return {name: text for name, text in content.items() if name != bill}


def in_wheel(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as wheel:
        return {name: wheel.read(name) for name in wheel.namelist()}


def in_tarball(path: Path) -> dict[str, bytes]:
    found = {}
    with tarfile.open(path) as tarball:
        for member in tarball:
            content = tarball.extractfile(member)
            assert content
            found[member.name] = content.read()
    return found


def fields(content: bytes) -> tuple[list[tuple[str, str]], str]:
    """Header fields and text, without the fields that each writer has of its own."""
    message: Message = Parser().parsestr(content.decode())
    return [(name, value) for name, value in message.items() if name not in OWN_FIELDS], str(message.get_payload())
