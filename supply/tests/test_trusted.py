"""docs/SUPPLY-CHAIN.md names everybody whose work the build downloads, and nobody else."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

import pins
import pytest
from pins import ROOT

PAGE = ROOT / "docs" / "SUPPLY-CHAIN.md"


def named() -> set[str]:
    """The names in the first column of the tables about people's work."""
    found: set[str] = set()
    for table in re.split(r"\n\n", PAGE.read_text().partition("\n## Part of")[2]):
        rows = [line for line in table.splitlines() if line.startswith("|")][2:]
        found.update(name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1]))
    return found


def maven() -> set[str]:
    return {artifact.name for artifact in pins.maven_direct()} | {"microhttp", "async-profiler"}


def shipped() -> set[str]:
    """What a distribution has besides ours: tests of packaging compare that list with what is there."""
    projects = json.loads((ROOT / "packaging" / "components.json").read_text())
    return {jar for project in projects for jar in project["jars"]} | {"uplot"}


def python() -> set[str]:
    extras = re.search(r"^\[project.optional-dependencies]\n(.*?)^\[", sdk_project(), re.MULTILINE | re.DOTALL)
    assert extras
    optional = {pins.normal(name) for name in re.findall(r'"([A-Za-z0-9._-]+)[^"]*"', extras[1])}
    return optional.union(*map(pins.required, pins.PYTHON_LISTS))


def sdk_project() -> str:
    return (ROOT / "sdk-python" / "pyproject.toml").read_text()


def crates() -> set[str]:
    manifest = (ROOT / "examples-other" / "rust" / "Cargo.toml").read_text()
    return set(re.findall(r"^([\w-]+) =", manifest.partition("[dependencies]")[2], re.MULTILINE))


def zig() -> set[str]:
    return set(
        re.findall(r"^([\w-]+)==", (ROOT / "examples-other" / "zig" / "requirements.txt").read_text(), re.MULTILINE)
    )


def npm() -> set[str]:
    return {name for lock in pins.NPM_LOCKS for name in direct_in(lock)}


def direct_in(lock: Path) -> Iterable[str]:
    root = json.loads(lock.read_text())["packages"][""]
    return [name for kind in ("dependencies", "devDependencies", "optionalDependencies") for name in root.get(kind, {})]


def images() -> set[str]:
    return {image.partition(":")[0] for image in pins.images().values()}


def debian() -> set[str]:
    setup = (ROOT / "scripts" / "setup").read_text()
    # need 'what', 'how it is found', 'packages'; want the last two.
    last_words = re.findall(r"""^ +(?:need|want) .*?(?:"([^"]+)"|(\S+))$""", setup, re.MULTILINE)
    packages = {package for both in last_words for words in both for package in words.split()}
    for dockerfile in pins.tracked("*Dockerfile"):
        installs = re.findall(r"--no-install-recommends ([^&\\]+)", dockerfile.read_text())
        packages.update(package for listed in installs for package in listed.split())
    return packages


@pytest.mark.parametrize(
    "trusted", [maven, shipped, python, crates, zig, npm, images, debian], ids=lambda each: each.__name__
)
def test_names_everybody(trusted: object) -> None:
    assert callable(trusted)
    assert trusted()
    assert trusted() - named() == set()


def test_names_nobody_else() -> None:
    assert named() - maven() - shipped() - python() - crates() - zig() - npm() - images() - debian() == set()


def test_sdk_of_node_needs_nothing() -> None:
    assert "dependencies" not in json.loads((ROOT / "sdk-node" / "package.json").read_text())


def test_sdk_of_python_needs_nothing_without_extras() -> None:
    assert not re.search(r"^dependencies", sdk_project(), re.MULTILINE)


def test_core_needs_nothing() -> None:
    scopes = {
        pins.text(each, "artifactId"): pins.text(each, "scope")
        for each in pins.elements(ROOT / "core/pom.xml", "dependency")
    }
    assert set(scopes.values()) <= {"test", "provided"}


def test_every_image_is_an_argument_with_one_default() -> None:
    """So that one file .env with digests counts wherever it is used."""
    defaults: dict[str, set[str]] = {}
    for path in pins.tracked("Dockerfile", "examples-*/Dockerfile", "docker-compose.yml", "deploy/swarm.yml"):
        for argument, image in re.findall(r"(\w+_IMAGE)(?:=|:-)([^\s}]+)", path.read_text()):
            defaults.setdefault(argument, set()).add(image)
    assert {argument: {image} for argument, image in pins.images().items()} == defaults

    for dockerfile in pins.tracked("Dockerfile", "examples-*/Dockerfile"):
        for base in re.findall(r"^FROM (\S+)", dockerfile.read_text(), re.MULTILINE):
            assert base.startswith("${") or base == "handoff", f"{dockerfile}: {base}"
    for image in re.findall(r"^ +image: (\S+)$", (ROOT / "docker-compose.yml").read_text(), re.MULTILINE):
        assert image.startswith(("${", "handoff")), image
