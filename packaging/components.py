"""What a distribution is made of, and under which licences; components.json says it of what is not ours."""

import json
import re
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
LISTED = Path(__file__).with_name("components.json")
UPLOT = ROOT / "admin/src/main/resources/dev/handoff/admin/page/uplot/uPlot.iife.min.js"
OURS = "handoff-"
IN_THE_JAR = "META-INF/"


class Unknown(Exception):
    """Something lies in the distribution whose licence nobody has looked up."""


@dataclass(frozen=True)
class Project:
    """A third party's work, published as one jar or several."""

    name: str
    group: str
    jars: list[str]
    licence: str
    """An SPDX expression."""
    texts: list[str]
    """Where the licence and its notices are: in each of its jars, or in a file below the project's root."""


@dataclass(frozen=True)
class Jar:
    path: Path
    name: str
    version: str

    @property
    def is_ours(self) -> bool:
        return self.name.startswith(OURS)

    def changes(self) -> str | None:
        """What was changed in it since it was published, as RenewClasses.java notes it."""
        with zipfile.ZipFile(self.path) as jar:
            # A line of a manifest goes on in the next one, behind a space.
            manifest = jar.read("META-INF/MANIFEST.MF").decode().replace("\r\n", "\n").replace("\n ", "")
        found = re.search(r"^Changes: (.*)$", manifest, re.MULTILINE)
        return found[1] if found else None


@cache
def third_parties() -> tuple[Project, ...]:
    return tuple(Project(**listed) for listed in json.loads(LISTED.read_text()))


def jars_of(folder: Path) -> list[Jar]:
    """The jars of an unpacked distribution."""
    return [_jar(path) for path in sorted((folder / "lib").glob("*.jar"))]


def _jar(path: Path) -> Jar:
    named = re.fullmatch(r"(.+?)-(\d.*)\.jar", path.name)
    if named is None:
        raise Unknown(f"{path.name} does not have its version in its name")
    return Jar(path, named[1], named[2])


def project_of(jar: Jar) -> Project:
    for project in third_parties():
        if jar.name in project.jars:
            return project
    raise Unknown(f"{jar.path.name} is not in packaging/components.json: look up its licence and list it")


def uplot() -> Project:
    """The charts of the dashboard, which lie in our own jar."""
    return next(project for project in third_parties() if project.name == "uPlot")


def uplot_version() -> str:
    named = re.search(r"\(v([0-9.]+)\)", UPLOT.read_text().partition("\n")[0])
    if named is None:
        raise Unknown(f"{UPLOT.name} does not begin with its version")
    return named[1]
