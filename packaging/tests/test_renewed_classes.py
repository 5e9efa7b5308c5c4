"""RenewClasses.java changes the format of old classes, and nothing else."""

import subprocess
import zipfile
from pathlib import Path

import components
import pytest
from components import ROOT, Jar

JAVA_6 = 50
CLASS_MAGIC = b"\xca\xfe\xba\xbe"


def published(jar: Jar) -> Path:
    """The jar as the build had it from its authors."""
    built = subprocess.run([ROOT / "scripts" / "build", "fresh"], check=True, capture_output=True, text=True)
    return Path(built.stdout.strip()) / jar.path.name


def format_of(content: bytes) -> int:
    assert content.startswith(CLASS_MAGIC)
    return int.from_bytes(content[6:8], "big")


def contents(jar: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(jar) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


@pytest.fixture(scope="module")
def picocli(unpacked: Path) -> Jar:
    return next(jar for jar in components.jars_of(unpacked) if jar.name == "picocli")


def test_no_jar_has_classes_that_a_cache_does_not_take(unpacked: Path) -> None:
    for jar in components.jars_of(unpacked):
        classes = {name: content for name, content in contents(jar.path).items() if name.endswith(".class")}
        assert [name for name, content in classes.items() if format_of(content) < JAVA_6] == []


def test_other_jars_are_as_their_authors_published_them(unpacked: Path) -> None:
    for jar in components.jars_of(unpacked):
        if jar.name != "picocli":
            assert jar.path.read_bytes() == published(jar).read_bytes(), jar.name


def test_renewed_jar_has_the_same_files(picocli: Jar) -> None:
    before, after = contents(published(picocli)), contents(picocli.path)

    assert list(after) == list(before)
    others = [name for name in before if not name.endswith(".class")]
    assert [name for name in others if before[name] != after[name]] == ["META-INF/MANIFEST.MF"]


def test_renewed_classes_pass_verification(picocli: Jar) -> None:
    found = subprocess.run([ROOT / "scripts" / "find-jdk"], check=True, capture_output=True, text=True)
    java = Path(found.stdout.strip()) / "bin" / "java"
    program = Path(__file__).with_name("LinkClasses.java")
    done = subprocess.run([java, program, picocli.path], check=True, capture_output=True, text=True)

    classes = [name for name in contents(picocli.path) if name.endswith(".class")]
    assert int(done.stdout) == len([name for name in classes if not name.endswith("module-info.class")]) > 100
