"""The languages of this folder, as their READMEs tell users to build and start them."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path(__file__).parents[1]
ROOT = EXAMPLES.parent
BUILT = ROOT / "target" / "languages"
BUILD_SECONDS = 300

LIBRARIES = {
    "c": ("Jansson", "test -e /usr/include/jansson.h"),
    "cpp": ("nlohmann/json", "test -e /usr/include/nlohmann/json.hpp"),
    "csharp": (
        "System.Json or Mono.Posix",
        "test -e /usr/lib/mono/4.5/System.Json.dll -a -e /usr/lib/mono/4.5/Mono.Posix.dll",
    ),
    "elixir": ("Jiffy", "erl -noshell -eval '{module, _} = code:load_file(jiffy), halt()'"),
    "haskell": ("aeson or network", "ghc -package aeson -package network -e 0"),
    "kotlin": (
        "compiler of Kotlin in Maven's repository",
        f"mvn --offline -q -f {EXAMPLES}/kotlin kotlin:test-compile dependency:help",
    ),
    "lua": ("luaposix or dkjson", "lua5.3 -e 'require [[posix]] require [[dkjson]]'"),
    "ocaml": ("Yojson", "ocamlfind query yojson"),
}
"""What some need that comes as a package of its own, and the command that finds it."""


class Unavailable(Exception):
    """This machine lacks what the worker is built with, or runs on."""


@dataclass(frozen=True)
class Language:
    """One folder; its commands are the indented lines of its README."""

    name: str
    packages: tuple[str, ...]
    """What Debian calls that which it needs."""
    builds: tuple[str, ...]
    run: tuple[str, ...]
    """The arguments of `handoff run`."""
    check: tuple[str, ...]
    """The arguments of `handoff check`."""

    @property
    def source(self) -> Path:
        return next((EXAMPLES / self.name).glob("[wW]orker.*"))

    @property
    def folder(self) -> Path:
        """Where `handoff new` writes it, and where it is built."""
        return BUILT / self.name

    def missing(self) -> list[str]:
        """The programs of its commands that are not on the PATH."""
        words = [shlex.split(each)[0] for each in self.builds]
        words += [self.run[1]] if self.run[0] == "--" else []
        words += {".pl": ["perl"], ".rb": ["ruby"], ".php": ["php"]}.get(Path(self.run[0]).suffix, [])
        return [word for word in words if "/" not in word and shutil.which(word) is None]

    def build(self, jars: Callable[[], Path]) -> None:
        """Does what the README says in what `handoff new` writes, unless that has been done since the last change.

        Nothing is downloaded for it: Java's jars are those of the application, and the compilers of Kotlin and Zig are there, or not.
        """
        if missing := [each for each in self.missing() if each not in ("mvn", "pip")]:
            raise Unavailable(f"there is no {' and no '.join(missing)} on the PATH")
        library, find = LIBRARIES.get(self.name, ("", "true"))
        if subprocess.run(["sh", "-c", find], check=False, capture_output=True, timeout=BUILD_SECONDS).returncode != 0:
            raise Unavailable(f"there is no {library} here")
        files = [path for path in sorted((EXAMPLES / self.name).iterdir()) if path.is_file()]
        stamp = "".join(f"{path.name} {path.stat().st_mtime_ns}\n" for path in files)
        done = self.folder / ".built"
        if done.exists() and done.read_text() == stamp:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        subprocess.run([ROOT / "handoff", "new", self.name, self.folder], check=True, capture_output=True)
        for command in self.builds:
            if command.startswith("mvn -q dependency:"):
                (self.folder / "lib").mkdir(exist_ok=True)
                for jar in [*jars().glob("parsson-*.jar"), *jars().glob("jakarta.json-api-*.jar")]:
                    shutil.copy2(jar, self.folder / "lib")
            elif not command.startswith("pip "):
                self._make(command.replace("mvn ", "mvn --offline "))
        done.write_text(stamp)

    def _make(self, command: str) -> None:
        words = shlex.split(command)
        made = subprocess.run(
            words,
            cwd=self.folder,
            env=environment(),
            check=False,
            capture_output=True,
            text=True,
            timeout=BUILD_SECONDS,
        )
        if made.returncode != 0:
            raise AssertionError(f"{command} in {self.folder} ended with {made.returncode}:\n{made.stderr}")


def languages() -> list[Language]:
    return [read(readme) for readme in sorted(EXAMPLES.glob("*/README.md"))]


def read(readme: Path) -> Language:
    lines = re.findall(r"^ {4}(.+?)(?:  +#.*)?$", readme.read_text(), re.MULTILINE)
    (packages,) = [line.removeprefix("apt-get install ") for line in lines if line.startswith("apt-get install ")]
    (run,) = [line.removeprefix("handoff run ") for line in lines if line.startswith("handoff run ")]
    (check,) = [line.removeprefix("handoff check ") for line in lines if line.startswith("handoff check ")]
    builds = [line for line in lines if not line.startswith(("apt-get ", "handoff "))]
    return Language(
        readme.parent.name, tuple(packages.split()), tuple(builds), tuple(shlex.split(run)), tuple(shlex.split(check))
    )


def jars_of_the_application() -> Path:
    """Where the built application has its libraries."""
    lib = subprocess.run([ROOT / "scripts" / "build", "fresh"], check=True, capture_output=True, text=True)
    return Path(lib.stdout.strip())


def environment() -> dict[str, str]:
    """Without what would change how workers start; with the Java of the build first, which may not be the default."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HANDOFF_")}
    java = subprocess.run([ROOT / "scripts" / "find-jdk"], check=True, capture_output=True, text=True).stdout.strip()
    return kept | {"PATH": f"{java}/bin:{kept['PATH']}"}
