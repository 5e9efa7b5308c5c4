#!/usr/bin/env python3
"""Packs the SDKs for those who install them: packaging/sdk_packages.py FOLDER

The distribution in FOLDER gets sdk-python/handoff_worker-VERSION-py3-none-any.whl and sdk-node/handoff-worker-VERSION.tgz, for pip and npm. Both are pure
sources, so that packing them takes neither: the build of an image needs only Python. A test compares them with what hatchling and npm make, which have no bill of materials.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import archives
import bill_of_materials
import tomllib
from archives import File
from components import ROOT

PYTHON_SDK = ROOT / "sdk-python"
NODE_SDK = ROOT / "sdk-node"
VERSION_LINE = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
LICENCE = "LICENSE"
ALWAYS_PACKED_BY_NPM = ("package.json", "README.md", LICENCE)


def main(folder: Path) -> None:
    write_wheel(folder / "sdk-python")
    write_tarball(folder / "sdk-node")


def version() -> str:
    found = VERSION_LINE.search(_version_file().read_text())
    if found is None:
        raise ValueError(f"{_version_file()} does not tell the version")
    return found[1]


def write_wheel(place: Path, as_version: str | None = None) -> Path:
    """
    :param as_version: for tests of upgrades: another than it has
    """
    project = _pyproject()["project"]
    files = _python_files(as_version)
    distribution = project["name"].replace("-", "_")
    told = as_version or version()
    information = f"{distribution}-{told}.dist-info"
    files[f"{information}/licenses/{LICENCE}"] = File.of(PYTHON_SDK / LICENCE)
    files[f"{information}/sboms/{bill_of_materials.NAME}"] = _bill("pypi", project["name"], told)
    return archives.write_wheel(place, distribution, told, _metadata(project, told), files)


def write_source_distribution(place: Path) -> Path:
    """For those who build their wheels themselves."""
    project = _pyproject()["project"]
    name = f"{project['name'].replace('-', '_')}-{version()}"
    files = {f"{name}/src/{path}": file for path, file in _python_files(None).items()}
    files |= {f"{name}/{path}": File.of(PYTHON_SDK / path) for path in ("pyproject.toml", "README.md", LICENCE)}
    files[f"{name}/{bill_of_materials.NAME}"] = _bill("pypi", project["name"], version())
    files[f"{name}/PKG-INFO"] = File(_metadata(project, version()).encode())
    return archives.write_tarball(place / f"{name}.tar.gz", files)


def _pyproject() -> dict[str, Any]:
    return tomllib.loads((PYTHON_SDK / "pyproject.toml").read_text())


def _version_file() -> Path:
    return PYTHON_SDK / str(_pyproject()["tool"]["hatch"]["version"]["path"])


def _python_files(as_version: str | None) -> dict[str, File]:
    files: dict[str, File] = {}
    for package in _pyproject()["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]:
        root = PYTHON_SDK / package
        # Modules are read, and never run by their names, whatever a checkout says.
        files |= {name: File(file.content) for name, file in archives.files_in(root, f"{root.name}/").items()}
    if as_version:
        name = _version_file().relative_to(PYTHON_SDK / "src").as_posix()
        told = VERSION_LINE.sub(f'__version__ = "{as_version}"', files[name].content.decode())
        files[name] = File(told.encode())
    return files


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
        ("License-File", LICENCE),
        *(("Classifier", classifier) for classifier in project["classifiers"]),
        ("Requires-Python", project["requires-python"]),
    ]
    for extra, requirements in project["optional-dependencies"].items():
        fields.append(("Provides-Extra", extra))
        fields += [("Requires-Dist", f"{_sorted(requirement)}; extra == '{extra}'") for requirement in requirements]
    fields.append(("Description-Content-Type", "text/markdown"))
    head = "".join(f"{name}: {value}\n" for name, value in fields)
    return f"{head}\n{(PYTHON_SDK / project['readme']).read_text()}"


def write_tarball(place: Path, as_version: str | None = None) -> Path:
    package = json.loads((NODE_SDK / "package.json").read_text())
    paths = {NODE_SDK / name for name in ALWAYS_PACKED_BY_NPM}
    for named in package["files"]:
        path = NODE_SDK / named
        paths |= set(archives.paths_in(path) if path.is_dir() else [path])
    files = {f"package/{path.relative_to(NODE_SDK).as_posix()}": File(path.read_bytes()) for path in paths}
    if as_version:
        package["version"] = as_version
        files["package/package.json"] = File((json.dumps(package, indent=2) + "\n").encode())
    files[f"package/{bill_of_materials.NAME}"] = _bill("npm", package["name"], package["version"])
    return archives.write_tarball(place / f"{package['name']}-{package['version']}.tgz", files)


def _bill(kind: str, name: str, version: str) -> File:
    return File(bill_of_materials.document_of_library(f"pkg:{kind}/{name}", name, version).encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
