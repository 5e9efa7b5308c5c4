"""Somebody's project builds on the artifacts, from an empty local repository."""

import os
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import components
import maven_artifacts
import pytest
from components import ROOT

OUTSIDE = ROOT / "packaging" / "maven" / "outside"


@pytest.fixture(scope="module")
def repository(distribution: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("maven") / "repository"
    maven_artifacts.main(distribution, place, "https://example.org/handoff")
    return place


def test_outside_project_builds_and_runs(repository: Path, distribution: Path, tmp_path: Path) -> None:
    project = tmp_path / "outside"
    shutil.copytree(OUTSIDE, project)
    version = next(jar.version for jar in components.jars_of(distribution) if jar.is_ours)
    java = Path(maven_artifacts.tool("java"))
    told = [f"-Dhandoff.version={version}", f"-Dhandoff.repository={repository.as_uri()}"]
    options = ["--batch-mode", "--quiet", "--no-transfer-progress", f"-Dmaven.repo.local={tmp_path / 'empty'}", *told]
    environment = {name: value for name, value in os.environ.items() if name != "MAVEN_OPTS"}
    environment["JAVA_HOME"] = str(java.parents[1])
    built = subprocess.run(
        ["mvn", *options, "compile"], cwd=project, env=environment, check=False, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stdout
    classes = f"{project / 'target/classes'}:{project / 'target/dependency'}/*"
    ran = subprocess.run([java, "-cp", classes, "outside.Outside"], check=True, capture_output=True, text=True)

    assert ran.stdout == "hello\none\ntwo\nWebSockets only\necho\nhello\ndev.handoff.process.PoolListener\n"


@pytest.mark.parametrize("module", maven_artifacts.MODULES)
def test_has_what_a_public_repository_asks_for(repository: Path, module: str) -> None:
    (pom,) = repository.glob(f"dev/handoff/handoff-{module}/*/*.pom")
    project = ElementTree.parse(pom).getroot()

    for name in ("name", "description", "url", "licenses", "developers", "scm/pom:connection"):
        assert project.find(f"pom:{name}", maven_artifacts.NAMESPACE) is not None, name
    for kind in (".jar", "-sources.jar", "-javadoc.jar"):
        path = pom.with_name(f"{pom.stem}{kind}")
        assert path.stat().st_size > 10_000
        assert all(path.with_name(f"{path.name}.{each}").exists() for each in maven_artifacts.HASHES)
