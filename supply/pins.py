"""What the build downloads, as the lists and locks of this repository name it: reads them, and nothing else."""

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
MAVEN_LIST = ROOT / ".mvn" / "checksums" / "checksums.sha256"
NPM_LIST = ROOT / "package.json"
NPM_LOCK = ROOT / "package-lock.json"
NPM_LOCKS = (
    NPM_LOCK,
    ROOT / "conformance" / "real" / "package-lock.json",
    ROOT / "docker" / "harness" / "stand-ins" / "node" / "package-lock.json",
    ROOT / "packaging" / "install" / "node" / "package-lock.json",
)

# The lists of Python's packages that people edit. Each has a lock beside it, in which all that they need is named with hashes.
PYTHON_LISTS = (
    ROOT / "requirements-dev.txt",
    ROOT / "benchmarks" / "requirements.txt",
    ROOT / "conformance" / "real" / "requirements.txt",
    ROOT / "packaging" / "requirements.txt",
    ROOT / "sdk-python" / "tests" / "requirements-quickstart.txt",
    ROOT / "sdk-python" / "tests" / "fuzz" / "requirements.txt",
    ROOT / "supply" / "requirements.txt",
)

POM = {"pom": "http://maven.apache.org/POM/4.0.0"}


@dataclass(frozen=True)
class Locked:
    """An entry of a lock of Python's packages."""

    name: str
    version: str
    hashes: tuple[str, ...]
    marker: str


@dataclass(frozen=True)
class Artifact:
    """What Maven downloads under one name: a jar, a POM or both."""

    group: str
    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.group}:{self.name}:{self.version}"


def lock_of(requirements: Path) -> Path:
    return requirements.with_name(f"{requirements.stem}.lock.txt")


def required(requirements: Path) -> dict[str, str]:
    """Names and versions of a list that people edit; no version where it leaves the choice to another list."""
    lines = [line.partition("#")[0].strip() for line in requirements.read_text().splitlines()]
    found = {}
    for line in filter(None, lines):
        name, _, version = line.partition(";")[0].strip().partition("==")
        found[normal(name)] = version.strip()
    return found


def locked(lock: Path) -> list[Locked]:
    """The entries of a lock, in which a line that ends in a backslash goes on in the next."""
    entries = []
    for entry in lock.read_text().replace("\\\n", " ").splitlines():
        named = re.match(r"([A-Za-z0-9._-]+)==([^\s;]+)\s*(?:;\s*(.*?))?\s*(?=--hash|$)", entry)
        if named:
            hashes = tuple(re.findall(r"--hash=(\S+)", entry))
            entries.append(Locked(normal(named[1]), named[2], hashes, (named[3] or "").strip()))
    return entries


def normal(name: str) -> str:
    """The one spelling of a package's name, without its extras (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name.partition("[")[0].strip()).lower()


def npm_direct() -> dict[str, str]:
    listed = json.loads(NPM_LIST.read_text())
    return {**listed["devDependencies"], **listed["optionalDependencies"]}


def npm_locked(lock: Path) -> dict[str, dict[str, object]]:
    """The packages of a lock by the folder that they go to."""
    packages: dict[str, dict[str, object]] = json.loads(lock.read_text())["packages"]
    return {folder: package for folder, package in packages.items() if folder}


def maven_files() -> dict[str, str]:
    """The SHA-256 of each file, by its path in a repository."""
    lines = [line for line in MAVEN_LIST.read_text().splitlines() if line and not line.startswith("#")]
    return {path: sha256 for sha256, path in (line.split("  ", 1) for line in lines)}


def maven_artifacts() -> list[Artifact]:
    """Those that the build may run: of what has no jar, only text is read."""
    folders = {path.rpartition("/")[0] for path in maven_files() if path.endswith(".jar")}
    return sorted(map(_artifact, folders), key=str)


def _artifact(folder: str) -> Artifact:
    *group, name, version = folder.split("/")
    return Artifact(".".join(group), name, version)


def maven_direct() -> set[Artifact]:
    """What our POMs name: dependencies, plugins, and what plugins are given."""
    found: set[Artifact] = set()
    for pom in tracked("*pom.xml"):
        found.update(_named_in(pom))
    return {artifact for artifact in found if artifact.group != "dev.handoff"}


def _named_in(pom: Path) -> Iterator[Artifact]:
    root = ElementTree.parse(ROOT / "pom.xml").getroot()
    properties = {each.tag.rpartition("}")[2]: each.text or "" for each in root.iterfind("pom:properties/*", POM)}
    for kind in ("dependency", "plugin", "path", "googleJavaFormat"):
        for element in elements(pom, kind):
            if version := text(element, "version"):
                resolved = re.sub(r"\$\{([^}]+)}", lambda named: properties.get(named[1], named[0]), version)
                group = text(element, "groupId") or WITHOUT_GROUP[kind]
                yield Artifact(group, text(element, "artifactId") or "google-java-format", resolved)


# Whose they are where a POM does not say it.
WITHOUT_GROUP = {"plugin": "org.apache.maven.plugins", "googleJavaFormat": "com.google.googlejavaformat"}


def elements(pom: Path, kind: str) -> list[ElementTree.Element]:
    return list(ElementTree.parse(pom).getroot().iterfind(f".//pom:{kind}", POM))


def text(element: ElementTree.Element, name: str) -> str:
    return element.findtext(f"pom:{name}", "", POM)


def images() -> dict[str, str]:
    """The images that ours build on, or that Compose or Swarm starts, by the argument that replaces each."""
    found: dict[str, str] = {}
    for dockerfile in tracked("Dockerfile", "examples-*/Dockerfile"):
        found.update(re.findall(r"^ARG (\w+_IMAGE)=(\S+)$", dockerfile.read_text(), re.MULTILINE))
    for started in ("docker-compose.yml", "deploy/swarm.yml"):
        named = re.findall(r"^\s*image: \$\{(\w+_IMAGE):-([^}]+)}$", (ROOT / started).read_text(), re.MULTILINE)
        found.update(named)
    return found


def tracked(*patterns: str) -> list[Path]:
    """Files of the repository; those that a build makes are none."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *patterns]
    done = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True)
    return [path for name in done.stdout.split("\0") if name and (path := ROOT / name).is_file()]
