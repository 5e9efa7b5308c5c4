"""What Maven downloads is what .mvn/checksums names, and something else ends the build."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pins
import pytest
from pins import ROOT

LISTED = {"org/example/first/1/first-1.jar": b"first", "org/example/first/1/first-1.pom": b"about first"}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose list names two files, and the script."""
    folder = tmp_path / "checkout"
    (folder / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "verify-downloads", folder / "scripts")
    names = folder / ".mvn" / "checksums" / "checksums.sha256"
    names.parent.mkdir(parents=True)
    lines = [f"{hashlib.sha256(content).hexdigest()}  {path}\n" for path, content in LISTED.items()]
    names.write_text("# A comment.\n" + "".join(lines))
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    for path, content in LISTED.items():
        put(folder / path, content)
    return folder


def put(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def verify(checkout: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MAVEN_")}
    return subprocess.run(
        [checkout / "scripts" / "verify-downloads", *arguments],
        check=False,
        env={**inherited, **environment},
        capture_output=True,
        text=True,
    )


def test_takes_what_the_list_names(checkout: Path, repository: Path) -> None:
    done = verify(checkout, "all", MAVEN_OPTS=f"-Xmx1g -Dmaven.repo.local={repository} -Xss1m")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("path", LISTED)
def test_names_a_file_that_differs(checkout: Path, repository: Path, path: str) -> None:
    put(repository / path, LISTED[path] + b" and more")
    done = verify(checkout, MAVEN_OPTS=f"-Dmaven.repo.local={repository}")

    assert done.returncode == 1
    assert path in done.stderr.splitlines()
    assert len([line for line in done.stderr.splitlines() if line in LISTED]) == 1


def test_what_is_not_there_yet_is_no_fault(checkout: Path, repository: Path) -> None:
    shutil.rmtree(repository / "org")
    assert verify(checkout, "all", MAVEN_OPTS=f"-Dmaven.repo.local={repository}").returncode == 0
    shutil.rmtree(repository)
    assert verify(checkout, "all", MAVEN_OPTS=f"-Dmaven.repo.local={repository}").returncode == 0


def test_what_is_not_listed_is_a_fault_in_a_repository_of_the_build_alone(checkout: Path, repository: Path) -> None:
    put(repository / "org/example/second/2/second-2.jar", b"second")
    assert verify(checkout, MAVEN_OPTS=f"-Dmaven.repo.local={repository}").returncode == 0
    done = verify(checkout, "all", MAVEN_OPTS=f"-Dmaven.repo.local={repository}")

    assert done.returncode == 1
    assert "./org/example/second/2/second-2.jar" in done.stderr.splitlines()


def test_finds_the_repository_that_maven_uses(checkout: Path, repository: Path, tmp_path: Path) -> None:
    put(repository / next(iter(LISTED)), b"something else")
    usual = tmp_path / "home" / ".m2"
    settings = f"<settings><localRepository>{repository}</localRepository></settings>"
    put(usual / "settings.xml", settings.encode())
    assert verify(checkout, HOME=str(usual.parent)).returncode == 1

    (usual / "settings.xml").unlink()
    assert verify(checkout, HOME=str(usual.parent)).returncode == 0
    repository.rename(usual / "repository")
    assert verify(checkout, HOME=str(usual.parent)).returncode == 1


def test_a_build_stops_at_a_file_that_differs(repository: Path, tmp_path: Path) -> None:
    """The real build and the real list: Maven is not even started, so nothing of what differs is run."""
    path = next(path for path in pins.maven_files() if path.endswith(".jar"))
    put(repository / path, b"something else")
    root = tmp_path / "root"
    for name in ("scripts", ".mvn"):
        shutil.copytree(ROOT / name, root / name)
    started = tmp_path / "started"
    maven = tmp_path / "bin" / "mvn"
    put(maven, f"#!/bin/sh\ntouch {started}\n".encode())
    maven.chmod(0o755)
    environment = {**os.environ, "PATH": f"{maven.parent}:{os.environ['PATH']}"}

    def build() -> subprocess.CompletedProcess[str]:
        options = {"MAVEN_OPTS": f"-Dmaven.repo.local={repository}"}
        command = [str(root / "scripts" / "build"), "strict", "package"]
        return subprocess.run(command, check=False, env={**environment, **options}, capture_output=True, text=True)

    refused = build()
    assert refused.returncode != 0
    assert path in refused.stderr
    assert not started.exists()
    assert not (root / "launcher" / "target" / "built").exists()

    (repository / path).unlink()
    assert build().returncode == 0
    assert started.exists()


def test_list_has_the_jar_and_the_pom_of_all_that_our_poms_name() -> None:
    files = pins.maven_files()
    direct = pins.maven_direct()
    assert len(direct) >= 20
    missing = []
    for each in sorted(direct - NEVER_RUN, key=str):
        place = f"{each.group.replace('.', '/')}/{each.name}/{each.version}/{each.name}-{each.version}"
        missing += [f"{place}{end}" for end in (".jar", ".pom") if f"{place}{end}" not in files]
    assert missing == [], "make lock-maven"


# No target of make downloads them: plugins that have a version only so that nobody's Maven chooses one, and what the example in Kotlin is
# built with, by hand.
NEVER_RUN = {
    each
    for each in pins.maven_direct()
    if each.name
    in ("maven-deploy-plugin", "maven-install-plugin", "maven-site-plugin", "kotlin-maven-plugin", "kotlin-stdlib")
}


def test_every_plugin_has_a_version() -> None:
    """Else Maven asks the registry for the newest, whose hash nobody could know."""
    for pom in pins.tracked("*pom.xml"):
        for plugin in pins.elements(pom, "plugin"):
            named = pins.text(plugin, "artifactId")
            assert pins.text(plugin, "version") or named in {each.name for each in pins.maven_direct()}, (
                f"{pom}: {named}"
            )


def test_list_can_be_read_by_maven_too() -> None:
    """It wants two blanks between, and paths without a dot in front."""
    for path, sha256 in pins.maven_files().items():
        assert len(sha256) == 64 and set(sha256) <= set("0123456789abcdef")
        assert path.endswith((".jar", ".pom")) and not path.startswith((".", "/", "*", " "))
    options = (ROOT / ".mvn" / "maven.config").read_text().splitlines()
    assert "-Daether.artifactResolver.postProcessor.trustedChecksums=true" in options
    assert "-Daether.trustedChecksumsSource.summaryFile.basedir=${session.rootDirectory}/.mvn/checksums" in options
