#!/usr/bin/env python3
"""
Writes what the build may download: supply/lock.py python | maven

The locks of Python's packages have every package that a list needs, on Linux and macOS and with each Python from OLDEST_PYTHON on, with
the hashes of all its files. The list of Maven has what its empty repository holds after all that the build ever asks it.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pins
from pins import ROOT

OLDEST_PYTHON = "3.11"

HEADER = """\
# What the build may download with Maven: SHA-256 and place in a repository. `make lock-maven` writes it, with {versions}.
# Maven 3.9 and newer reads it (.mvn/maven.config), and so does scripts/verify-downloads, whatever the Maven.
"""

# No test is named so, but what runs tests is downloaded.
NO_TESTS = [f"-D{option}" for option in ("test=None", "it.test=None", "fuzz.seconds=1")]
NO_TESTS += [f"-D{plugin}.failIfNoSpecifiedTests=false" for plugin in ("surefire", "failsafe")]


def lock_python() -> None:
    for requirements in pins.PYTHON_LISTS:
        lock = pins.lock_of(requirements)
        command = ["uv", "pip", "compile", "--quiet", "--universal", "--python-version", OLDEST_PYTHON]
        command += ["--generate-hashes", "--no-build", "--no-config", "--no-emit-index-url", "--no-emit-find-links"]
        command += ["--custom-compile-command", "make lock-python", "--output-file", str(lock.relative_to(ROOT))]
        if requirements != pins.PYTHON_LISTS[0]:
            command += ["--constraint", str(pins.PYTHON_LISTS[0].relative_to(ROOT))]
        if os.environ.get("UPGRADE"):
            command += ["--upgrade"]
        subprocess.run([*command, str(requirements.relative_to(ROOT))], cwd=ROOT, check=True)


def lock_maven() -> None:
    """With each Maven of MAVENS, since they do not all read the same POMs."""
    mavens = os.environ.get("MAVENS", "mvn").split()
    with tempfile.TemporaryDirectory(prefix="handoff-lock-") as folder:
        repository = Path(folder, "repository")
        versions = []
        for maven in mavens:
            checkout = Path(folder, "checkout")
            copy_of_checkout(checkout)
            versions.append(fetch_all(maven, checkout, repository))
            shutil.rmtree(checkout)
        files = sorted(path for path in repository.rglob("*") if path.suffix in (".jar", ".pom"))
        lines = [f"{sha256(path)}  {path.relative_to(repository)}\n" for path in files]
    pins.MAVEN_LIST.write_text(HEADER.format(versions=", ".join(versions)) + "".join(lines))


def copy_of_checkout(folder: Path) -> None:
    for source in pins.tracked("."):
        copy = folder / source.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, copy)


def fetch_all(maven: str, checkout: Path, repository: Path) -> str:
    """Has this Maven do all that the build asks of one; returns its version."""
    program = shutil.which(maven)
    if program is None:
        sys.exit(f"supply/lock.py: there is no {maven}")
    java = subprocess.run([ROOT / "scripts" / "find-jdk"], check=True, capture_output=True, text=True).stdout.strip()
    environment = {**os.environ, "JAVA_HOME": java}
    copied = f"-DoutputDirectory={repository.parent / 'copied'}"
    for goals in (
        ["-Pfuzz", *NO_TESTS, "clean", "spotless:check", "verify"],
        ["-Dquick", "package"],
        *(
            ["--non-recursive", "dependency:copy", f"-Dartifact={artifact}", copied]
            for artifact in of_benchmarks(checkout)
        ),
        ["--file", "conformance/differential/peers/jetty/pom.xml", "dependency:copy-dependencies", copied],
    ):
        run = [program, "--batch-mode", "--no-transfer-progress", "--quiet", f"-Dmaven.repo.local={repository}", *goals]
        subprocess.run(run, cwd=checkout, env=environment, check=True)
    told = subprocess.run([program, "--version"], env=environment, check=True, capture_output=True, text=True).stdout
    version = re.search(r"Apache Maven (\d[\w.-]*)", told)
    return f"Maven {version[1] if version else '?'}"


def of_benchmarks(checkout: Path) -> list[str]:
    """What the benchmarks fetch, in their versions."""
    return [
        f"{artifact}:{version_in(checkout / 'benchmarks' / 'harness' / file, name)}"
        for artifact, file, name in (
            ("org.microhttp:microhttp", "peers.py", "MICROHTTP_VERSION"),
            ("tools.profiler:async-profiler", "samplers.py", "ASYNC_PROFILER_VERSION"),
        )
    ]


def version_in(file: Path, name: str) -> str:
    named = re.search(rf'^{name} = "(.+)"', file.read_text(), re.MULTILINE)
    if named is None:
        sys.exit(f"supply/lock.py: {file.name} does not tell {name}")
    return named[1]


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    {"python": lock_python, "maven": lock_maven}[sys.argv[1]]()
