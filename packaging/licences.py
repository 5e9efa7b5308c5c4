#!/usr/bin/env python3
"""Puts the licences of third parties into an unpacked distribution: packaging/licences.py FOLDER

Java brings its own, in runtime/legal.
"""

import sys
import zipfile
from pathlib import Path

import components
from components import IN_THE_JAR, ROOT, Jar, Project


def main(folder: Path) -> None:
    for jar in components.jars_of(folder):
        if not jar.is_ours:
            _put(components.project_of(jar), jar, folder)
    _put(components.uplot(), None, folder)


def _put(project: Project, jar: Jar | None, folder: Path) -> None:
    place = folder / "licences" / project.name
    place.mkdir(parents=True, exist_ok=True)
    for text in project.texts:
        (place / Path(text).name).write_bytes(_read(text, jar))


def _read(text: str, jar: Jar | None) -> bytes:
    if jar is None or not text.startswith(IN_THE_JAR):
        return (ROOT / text).read_bytes()
    with zipfile.ZipFile(jar.path) as opened:
        return opened.read(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
