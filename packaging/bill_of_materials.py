#!/usr/bin/env python3
"""Lists what an unpacked distribution is made of, in CycloneDX: packaging/bill_of_materials.py FOLDER

It reads the folder and not the build's list of dependencies, so that it names what is there, with the hashes of what is there.
"""

import hashlib
import json
import re
import subprocess
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import components
from components import Jar

NAME = "sbom.cdx.json"
OUR_LICENCE = "Apache-2.0"
JAVA_LICENCE = "GPL-2.0-only WITH Classpath-exception-2.0"
# Whose components they are that have no address of their own.
OUR_GROUP = "dev.handoff"

Component = dict[str, Any]


def main(folder: Path) -> None:
    version = next(jar.version for jar in components.jars_of(folder) if jar.is_ours)
    (folder / NAME).write_text(document(folder, "handoff-server", version, OUR_LICENCE))


def document(folder: Path, name: str, version: str, licence: str, outside: Sequence[Component] = ()) -> str:
    """
    :param folder: has jars in lib/, or Java in runtime/, or both
    :param outside: what it needs, and does not have in it
    """
    parts = [*map(_of_jar, components.jars_of(folder))]
    if parts:
        parts.append(_uplot())
    if (folder / "runtime").exists():
        parts.append(_java(folder))
    return _told(_application(name, version, licence), [*parts, *outside])


def document_of_library(address: str, name: str, version: str, needed: Sequence[Jar] = ()) -> str:
    """
    Of a package that has nothing but our own sources in it.

    :param address: its package URL, without the version
    :param needed: what its users get beside it
    """
    described: Component = {
        "type": "library",
        "bom-ref": f"{address}@{version}",
        "name": name,
        "version": version,
        "licenses": _licences(OUR_LICENCE),
        "purl": f"{address}@{version}",
    }
    return _told(described, [_of_jar(jar) for jar in needed])


def _told(described: Component, parts: list[Component]) -> str:
    told = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{_serial([described, *parts])}",
        "version": 1,
        "metadata": {"component": described},
        "components": parts,
        "dependencies": [{"ref": described["bom-ref"], "dependsOn": [part["bom-ref"] for part in parts]}],
    }
    return json.dumps(told, indent=2) + "\n"


def _application(name: str, version: str, licence: str) -> Component:
    address = f"pkg:generic/{name}@{version}"
    return {
        "type": "application",
        "bom-ref": address,
        "name": name,
        "version": version,
        "description": "An HTTP/1.x server for handlers written in any language",
        "licenses": _licences(licence),
        "purl": address,
    }


def _of_jar(jar: Jar) -> Component:
    group, licence = OUR_GROUP, OUR_LICENCE
    if not jar.is_ours:
        project = components.project_of(jar)
        group, licence = project.group, project.licence
    component = _library(f"pkg:maven/{group}/{jar.name}@{jar.version}", jar.name, jar.version, licence, jar.path)
    changes = jar.changes()
    return component | {"group": group} | ({"pedigree": {"notes": changes}} if changes else {})


def _uplot() -> Component:
    project, version = components.uplot(), components.uplot_version()
    return _library(f"pkg:npm/uplot@{version}", project.name, version, project.licence, components.UPLOT)


def _library(address: str, name: str, version: str, licence: str, file: Path) -> Component:
    return {
        "type": "library",
        "bom-ref": address,
        "name": name,
        "version": version,
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(file.read_bytes()).hexdigest()}],
        "licenses": _licences(licence),
        "purl": address,
    }


def _java(folder: Path) -> Component:
    java = str(folder / "runtime" / "bin" / "java")
    asked = [java, "-XshowSettings:properties", "--version"]
    said = subprocess.run(asked, check=True, capture_output=True, text=True)
    settings = dict(re.findall(r"^ +(java\.\S+) = (.*)$", said.stdout + said.stderr, re.MULTILINE))
    modules = subprocess.run([java, "--list-modules"], check=True, capture_output=True, text=True).stdout.split()
    version = settings["java.runtime.version"]
    return {
        "type": "platform",
        "bom-ref": "java",
        "supplier": {"name": settings["java.vendor"]},
        "name": "OpenJDK",
        "version": version,
        "licenses": _licences(JAVA_LICENCE),
        "properties": [{"name": "java.module", "value": module} for module in modules],
    }


def _licences(expression: str) -> list[dict[str, str]]:
    return [{"expression": expression}]


def _serial(parts: list[Component]) -> uuid.UUID:
    """The same for the same parts, so that a build can be repeated."""
    return uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(parts))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
