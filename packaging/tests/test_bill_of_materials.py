"""sbom.cdx.json says what is in the archive, no more and no less."""

import hashlib
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import components
import pytest
from components import ROOT
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

Component = dict[str, Any]
# What the OSGi headers of jars call the licences by.
LICENCE_ADDRESSES = {
    "http://creativecommons.org/publicdomain/zero/1.0/": "CC0-1.0",
    "https://opensource.org/licenses/BSD-2-Clause": "BSD-2-Clause",
    "https://opensource.org/licenses/BSD-3-Clause": "BSD-3-Clause",
    "https://projects.eclipse.org/license/epl-2.0": "EPL-2.0",
    "https://projects.eclipse.org/license/secondary-gpl-2.0-cp": "GPL-2.0-only WITH Classpath-exception-2.0",
    "http://www.apache.org/licenses/LICENSE-2.0.txt": "Apache-2.0",
}


@pytest.fixture(scope="module")
def text(unpacked: Path) -> str:
    return (unpacked / "sbom.cdx.json").read_text()


@pytest.fixture(scope="module")
def listed(text: str) -> list[Component]:
    found: list[Component] = json.loads(text)["components"]
    return found


def test_is_valid(text: str) -> None:
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None


def test_components_are_the_jars_and_java_and_the_charts(unpacked: Path, listed: list[Component]) -> None:
    jars = {(jar.name, jar.version) for jar in components.jars_of(unpacked)}

    assert {(each["name"], each["version"]) for each in listed if each["name"] not in ("OpenJDK", "uPlot")} == jars
    assert {each["name"] for each in listed} == {name for name, _ in jars} | {"OpenJDK", "uPlot"}
    assert len(listed) == len(jars) + 2


def test_each_has_version_licence_and_address(listed: list[Component]) -> None:
    for each in listed:
        assert each["version"]
        assert each["licenses"][0]["expression"]
        assert each["name"] == "OpenJDK" or each["purl"].endswith(f"@{each['version']}")


def test_hashes_are_those_of_the_files(unpacked: Path, listed: list[Component]) -> None:
    files = [*(unpacked / "lib").glob("*.jar"), components.UPLOT]
    hashes = {hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    assert {each["hashes"][0]["content"] for each in listed if each["name"] != "OpenJDK"} == hashes


def test_charts_in_our_jar_are_those_that_are_listed(unpacked: Path) -> None:
    (admin,) = (unpacked / "lib").glob("handoff-admin-*.jar")
    with zipfile.ZipFile(admin) as jar:
        assert jar.read(f"dev/handoff/admin/page/uplot/{components.UPLOT.name}") == components.UPLOT.read_bytes()


def test_groups_and_versions_are_those_that_jars_name_themselves(unpacked: Path, listed: list[Component]) -> None:
    groups = {(each["name"], each["version"]): each.get("group") for each in listed}
    asked = 0
    for jar in components.jars_of(unpacked):
        with zipfile.ZipFile(jar.path) as opened:
            for name in opened.namelist():
                if name.endswith("/pom.properties"):
                    _, _, group, artifact, _ = name.split("/")
                    version = re.search(rb"^version=(\S+)", opened.read(name), re.MULTILINE)
                    assert version and groups[artifact, version[1].decode()] == group
                    asked += 1
    assert asked > 10


def test_licences_are_those_that_jars_name_themselves(unpacked: Path) -> None:
    asked = 0
    for jar in components.jars_of(unpacked):
        with zipfile.ZipFile(jar.path) as opened:
            manifest = opened.read("META-INF/MANIFEST.MF").decode().replace("\r\n", "\n").replace("\n ", "")
        named = re.search(r"^Bundle-License: (.*)$", manifest, re.MULTILINE)
        if named:
            licences = [LICENCE_ADDRESSES[address] for address in named[1].split(", ")]
            assert " OR ".join(licences) == components.project_of(jar).licence
            asked += 1
    assert asked > 9


def test_changed_jars_are_marked(unpacked: Path, listed: list[Component]) -> None:
    assert {each["name"] for each in listed if "pedigree" in each} == {"picocli"}


def test_runtime_is_the_one_in_the_archive(unpacked: Path, listed: list[Component]) -> None:
    (java,) = [each for each in listed if each["name"] == "OpenJDK"]
    release = (unpacked / "runtime" / "release").read_text()

    (version,) = re.findall(r'JAVA_VERSION="(.*)"', release)
    (modules,) = re.findall(r'MODULES="(.*)"', release)
    assert java["version"].startswith(version)
    assert {each["value"].partition("@")[0] for each in java["properties"]} == set(modules.split())


def test_names_no_machine_and_no_registry(text: str) -> None:
    assert str(ROOT) not in text
    # The one address is that of the format, by which programs know it.
    assert re.findall(r"https?://[^\"]+", text) == ["http://cyclonedx.org/schema/bom-1.6.schema.json"]
