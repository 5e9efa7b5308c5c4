#!/usr/bin/env python3
"""Packs the SDKs for those who install them: packaging/sdk_packages.py FOLDER

The distribution in FOLDER gets sdk-python/handoff_worker-VERSION-py3-none-any.whl and sdk-node/handoff-worker-VERSION.tgz, for pip and npm. Both are pure
sources, so that packing them takes neither: the build of an image needs only Python. A test compares them with what hatchling and npm make.
"""

import base64
import gzip
import hashlib
import io
import json
import re
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import tomllib
from components import ROOT

PYTHON_SDK = ROOT / "sdk-python"
NODE_SDK = ROOT / "sdk-node"
WHEEL_TAG = "py3-none-any"
WHEEL = f"Wheel-Version: 1.0\nGenerator: handoff packaging\nRoot-Is-Purelib: true\nTag: {WHEEL_TAG}\n"
ALWAYS_PACKED_BY_NPM = ("package.json", "README.md", "LICENSE")
# By programs, beside what they ran.
LEFT_BEHIND = ("__pycache__",)
# What both formats say of each file instead of when and by whom it was made.
EARLIEST_OF_ZIP = (1980, 1, 1, 0, 0, 0)
READABLE = 0o644


def main(folder: Path) -> None:
    _write_wheel(folder / "sdk-python")
    _write_tarball(folder / "sdk-node")


def _write_wheel(place: Path) -> None:
    pyproject = tomllib.loads((PYTHON_SDK / "pyproject.toml").read_text())
    project, build = pyproject["project"], pyproject["tool"]["hatch"]
    version_file = (PYTHON_SDK / build["version"]["path"]).read_text()
    version = _found(r'^__version__ = "(.+)"$', version_file)
    distribution = project["name"].replace("-", "_")
    information = f"{distribution}-{version}.dist-info"
    files: dict[str, bytes] = {}
    for package in build["build"]["targets"]["wheel"]["packages"]:
        root = PYTHON_SDK / package
        files |= {path.relative_to(root.parent).as_posix(): path.read_bytes() for path in _files_of(root)}
    files[f"{information}/METADATA"] = _metadata(project, version).encode()
    files[f"{information}/WHEEL"] = WHEEL.encode()
    files[f"{information}/RECORD"] = _record(files, f"{information}/RECORD")
    with zipfile.ZipFile(place / f"{distribution}-{version}-{WHEEL_TAG}.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, EARLIEST_OF_ZIP)
            entry.external_attr = READABLE << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)


def _sorted(requirement: str) -> str:
    """With its version specifiers in the order in which build tools write them."""
    name = re.match(r"[\w.-]+", requirement)
    assert name is not None, requirement
    return name[0] + ",".join(sorted(requirement[name.end() :].split(",")))


def _metadata(project: dict[str, Any], version: str) -> str:
    """METADATA, with the fields that our pyproject.toml has."""
    fields = [
        ("Metadata-Version", "2.4"),
        ("Name", project["name"]),
        ("Version", version),
        ("Summary", project["description"]),
        ("License-Expression", project["license"]),
        *(("Classifier", classifier) for classifier in project["classifiers"]),
        ("Requires-Python", project["requires-python"]),
    ]
    for extra, requirements in project["optional-dependencies"].items():
        fields.append(("Provides-Extra", extra))
        fields += [("Requires-Dist", f"{_sorted(requirement)}; extra == '{extra}'") for requirement in requirements]
    fields.append(("Description-Content-Type", "text/markdown"))
    head = "".join(f"{name}: {value}\n" for name, value in fields)
    return f"{head}\n{(PYTHON_SDK / project['readme']).read_text()}"


def _record(files: dict[str, bytes], own_name: str) -> bytes:
    """RECORD: each file with its hash and size, and itself without."""
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    return "".join([*lines, f"{own_name},,\n"]).encode()


def _write_tarball(place: Path) -> None:
    package = json.loads((NODE_SDK / "package.json").read_text())
    paths = {NODE_SDK / name for name in ALWAYS_PACKED_BY_NPM}
    for named in package["files"]:
        path = NODE_SDK / named
        paths |= set(_files_of(path) if path.is_dir() else [path])
    target = place / f"{package['name']}-{package['version']}.tgz"
    # Not tarfile's own gzip, which writes the time of day.
    with (
        target.open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as tarball,
    ):
        for path in sorted(paths):
            content = path.read_bytes()
            entry = tarfile.TarInfo(f"package/{path.relative_to(NODE_SDK).as_posix()}")
            entry.size = len(content)
            entry.mode = READABLE
            tarball.addfile(entry, io.BytesIO(content))


def _files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.parent.name not in LEFT_BEHIND)


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise ValueError(f"nothing matches {pattern}")
    return found[1]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
