#!/usr/bin/env python3
"""Makes the artifacts for Maven: packaging/maven_artifacts.py FOLDER PLACE [URL]

PLACE becomes a repository with core and handlers-process: jars as they lie in the distribution FOLDER, sources, Javadoc, and POMs that need no
parent. Each jar gets the licence and a bill of materials. URL is where the project lives, which a public repository asks for. A warning of Javadoc is an error.
"""

import hashlib
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import archives
import bill_of_materials
import components
from components import ROOT

HERE = Path(__file__).parent
GROUP = "dev.handoff"
# The folder of each module, in the order in which they need each other.
MODULES = ("core", "handlers-process")
NAMESPACE = {"pom": "http://maven.apache.org/POM/4.0.0"}
# One time for all, as in the build.
TIME = "2025-01-01T00:00:00Z"
# Comments say what names and types do not: what has none is no warning.
CHECKED = ["-Xdoclint:all,-missing", "-Werror"]
HASHES = ("md5", "sha1", "sha256", "sha512")


def main(folder: Path, place: Path, url: str | None = None) -> None:
    shutil.rmtree(place, ignore_errors=True)
    for module in MODULES:
        write(module, folder, place, url)


def write(module: str, folder: Path, place: Path, url: str | None) -> None:
    (jar,) = (each for each in components.jars_of(folder) if each.name == f"handoff-{module}")
    target = place / GROUP.replace(".", "/") / jar.name / jar.version
    target.mkdir(parents=True)
    stem = f"{jar.name}-{jar.version}"
    shutil.copy(jar.path, target / f"{stem}.jar")
    describe(target / f"{stem}.jar", jar, [each for each in components.jars_of(folder) if each.name in needs(module)])
    sources = ROOT / module / "src" / "main" / "java"
    with tempfile.TemporaryDirectory() as scratch:
        texts, pages = Path(scratch, "sources"), Path(scratch, "pages")
        shutil.copytree(sources, texts)
        resources = ROOT / module / "src" / "main" / "resources"
        if resources.is_dir():
            shutil.copytree(resources, texts, dirs_exist_ok=True)
        document(module, sources, pages, folder)
        pack(texts, target / f"{stem}-sources.jar")
        pack(pages, target / f"{stem}-javadoc.jar")
    (target / f"{stem}.pom").write_text(pom(module, jar.version, url))
    for path in sorted(target.iterdir()):
        for kind in HASHES:
            path.with_name(f"{path.name}.{kind}").write_text(hashlib.new(kind, path.read_bytes()).hexdigest())


def describe(packed: Path, jar: components.Jar, needed: list[components.Jar]) -> None:
    bill = bill_of_materials.document_of_library(f"pkg:maven/{GROUP}/{jar.name}", jar.name, jar.version, needed)
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as opened:
        for name, text in (("LICENSE", (ROOT / "LICENSE").read_text()), (f"sbom/{bill_of_materials.NAME}", bill)):
            opened.writestr(zipfile.ZipInfo(f"META-INF/{name}", archives.EARLIEST_OF_ZIP), text, zipfile.ZIP_DEFLATED)


def needs(module: str) -> set[str]:
    project = ElementTree.parse(ROOT / module / "pom.xml").getroot()
    return {_text(each, "artifactId") for each in project.iterfind("pom:dependencies/pom:dependency", NAMESPACE)}


def document(module: str, sources: Path, pages: Path, folder: Path) -> None:
    needed = [str(jar.path) for jar in components.jars_of(folder)] + [str(annotations())]
    overview = ["-overview", str(HERE / "maven" / f"overview-{module}.html"), "-encoding", "UTF-8"]
    what = ["-cp", ":".join(needed), "-sourcepath", str(sources), "-subpackages", GROUP, "-d", str(pages)]
    said = subprocess.run(
        [tool("javadoc"), "-quiet", "-notimestamp", *CHECKED, *overview, *what],
        check=False,
        capture_output=True,
        text=True,
    )
    if said.returncode != 0 or said.stderr:
        sys.exit(f"packaging/maven_artifacts.py: Javadoc of {module}:\n{said.stdout}{said.stderr}")


def annotations() -> Path:
    """The jar that the compiler alone needs, from where Maven keeps it: HOME means nothing to Java."""
    told = re.search(r"-Dmaven\.repo\.local=(\S+)", os.environ.get("MAVEN_OPTS", ""))
    repository = Path(told[1] if told else f"{pwd.getpwuid(os.getuid()).pw_dir}/.m2/repository")
    for found in repository.glob("org/jspecify/jspecify/*/jspecify-*.jar"):
        return found
    raise components.Unknown(f"Maven has not fetched jspecify into {repository}: build first")


def pack(folder: Path, jar: Path) -> None:
    shutil.copy(ROOT / "LICENSE", folder)
    # In the order of names, and not of the file system.
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    listed = folder.with_suffix(".names")
    listed.write_text("\n".join(names))
    packing = [tool("jar"), "--create", f"--file={jar.resolve()}", f"--date={TIME}", "--no-manifest", f"@{listed}"]
    subprocess.run(packing, cwd=folder, check=True)


def tool(name: str) -> str:
    home = subprocess.run([ROOT / "scripts" / "find-jdk"], check=True, capture_output=True, text=True).stdout.strip()
    return f"{home}/bin/{name}"


def pom(module: str, version: str, url: str | None) -> str:
    """With all that a public repository asks for, as far as we have it."""
    project = ElementTree.parse(ROOT / module / "pom.xml").getroot()
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<project xmlns="http://maven.apache.org/POM/4.0.0">',
        "  <modelVersion>4.0.0</modelVersion>",
        f"  <groupId>{GROUP}</groupId>",
        f"  <artifactId>{_text(project, 'artifactId')}</artifactId>",
        f"  <version>{version}</version>",
        f"  <name>{escape(_text(project, 'name'))}</name>",
        f"  <description>{escape(_text(project, 'description'))}</description>",
        *([f"  <url>{escape(url)}</url>"] if url else []),
        "  <licenses>",
        "    <license>",
        "      <name>Apache-2.0</name>",
        "      <url>https://www.apache.org/licenses/LICENSE-2.0.txt</url>",
        "    </license>",
        "  </licenses>",
        "  <developers>",
        "    <developer>",
        "      <name>The Handoff authors</name>",
        "    </developer>",
        "  </developers>",
        *(_sources(url) if url else []),
        "  <dependencies>",
        *_dependencies(project, version),
        "  </dependencies>",
        "</project>",
    ]
    return "\n".join(lines) + "\n"


def _sources(url: str) -> list[str]:
    address = escape(url)
    return [
        "  <scm>",
        f"    <connection>scm:git:{address}</connection>",
        f"    <developerConnection>scm:git:{address}</developerConnection>",
        f"    <url>{address}</url>",
        "  </scm>",
    ]


def _dependencies(project: ElementTree.Element, version: str) -> list[str]:
    """Those of the module itself: those of its profiles are for tests."""
    lines = []
    for each in project.iterfind("pom:dependencies/pom:dependency", NAMESPACE):
        group, artifact = _text(each, "groupId"), _text(each, "artifactId")
        lines += [
            "    <dependency>",
            f"      <groupId>{group}</groupId>",
            f"      <artifactId>{artifact}</artifactId>",
            f"      <version>{version if group == GROUP else _version_of(artifact)}</version>",
            f"      <scope>{_text(each, 'scope') or 'compile'}</scope>",
            "    </dependency>",
        ]
    return lines


def _version_of(artifact: str) -> str:
    root = ElementTree.parse(ROOT / "pom.xml").getroot()
    for each in root.iterfind("pom:dependencyManagement/pom:dependencies/pom:dependency", NAMESPACE):
        if _text(each, "artifactId") == artifact:
            return _text(root, f"properties/pom:{_text(each, 'version').strip('${}')}")
    raise components.Unknown(f"pom.xml has no version of {artifact}")


def _text(element: ElementTree.Element, name: str) -> str:
    return element.findtext(f"pom:{name}", "", NAMESPACE)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
