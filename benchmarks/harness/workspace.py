"""Where the peers are built, below target/, and the tools that build them."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
PEER_SOURCES = BENCHMARKS / "peers"


class Unavailable(Exception):
    """A peer cannot be built or run here; says what is missing."""


class Workspace:
    """Builds what peers share once, when the first of them asks."""

    def __init__(self) -> None:
        self.directory = ROOT / "target" / "benchmarks"
        self.directory.mkdir(parents=True, exist_ok=True)
        self._built: dict[str, str] = {}

    def folder(self, name: str) -> Path:
        folder = self.directory / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def once(self, *command: str | Path) -> str:
        """Runs a command the first time it is asked for, and returns its output without the last line break."""
        key = " ".join(map(str, command))
        if key not in self._built:
            self._built[key] = output_of(*command)
        return self._built[key]

    def java(self, tool: str = "java") -> str:
        return str(Path(self.once(ROOT / "scripts" / "find-jdk")) / "bin" / tool)

    def java_version(self) -> str:
        """Such as `Java 25.0.1`."""
        return "Java " + self.once(self.java(), "--version").split()[1]

    def handoff_jars(self) -> Path:
        """The application's folder of jars, built when its sources have changed."""
        return Path(self.once(ROOT / "scripts" / "build", "fresh"))

    def maven_jar(self, artifact: str, version: str) -> Path:
        """A published jar; `artifact` is group:name."""
        folder = self.folder("jars")
        jar = folder / f"{artifact.rpartition(':')[2]}-{version}.jar"
        if not jar.exists():
            unverified = folder / "unverified"
            goal = ("dependency:copy", f"-Dartifact={artifact}:{version}", f"-DoutputDirectory={unverified}")
            output_of(ROOT / "scripts" / "maven", "--quiet", "--non-recursive", *goal)
            output_of(ROOT / "scripts" / "verify-downloads")
            (unverified / jar.name).rename(jar)
        return jar

    def compile_java(self, name: str, class_path: str) -> Path:
        """Compiles one of the Java peers and returns the folder of its classes."""
        classes = self.folder(f"classes/{name}")
        source = PEER_SOURCES / "java" / "dev" / "handoff" / "benchmarks" / f"{name}.java"
        output_of(self.java("javac"), "-cp", class_path, "-d", classes, source)
        return classes

    def compile_c(self, source: Path) -> Path:
        """Compiles a program of one file and returns it."""
        program = self.folder("programs") / source.stem
        output_of(find("cc"), "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, source)
        return program

    def python(self) -> str:
        """The interpreter of a virtual environment with the Python peers."""
        folder = self.directory / "venv"
        interpreter = str(folder / "bin" / "python")
        requirements = BENCHMARKS / "requirements.lock.txt"
        installed = folder / "installed.txt"
        wanted = f"{sys.version}\n{requirements.read_text()}"
        if not installed.exists() or installed.read_text() != wanted:
            venv.create(folder, clear=True, with_pip=True)
            hashed = ("--require-hashes", "--only-binary", ":all:", "--requirement", requirements)
            output_of(interpreter, "-m", "pip", "install", "--quiet", *hashed)
            installed.write_text(wanted)
        return interpreter

    def accelerator(self) -> Path | None:
        """The folder of the Python SDK's accelerator, compiled; None where there is no C compiler."""
        if shutil.which("cc") is None:
            return None
        folder = self.folder("accelerator")
        self.once(self.python(), ROOT / "sdk-python" / "accelerator" / "build.py", folder)
        return folder

    def environment(self) -> dict[str, str]:
        """What servers are started with: one `python3` for all of them, and no settings of a Handoff run by the user."""
        others = ("HANDOFF_", "VIRTUAL_ENV")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(others)}
        environment["PATH"] = f"{Path(self.python()).parent}{os.pathsep}{environment['PATH']}"
        return environment


def find(program: str) -> str:
    # Debian keeps servers where only root's PATH looks.
    path = shutil.which(program) or shutil.which(program, path="/usr/sbin")
    if path is None:
        raise Unavailable(f"{program} is not installed")
    return path


def output_of(*command: str | Path, directory: Path = ROOT) -> str:
    try:
        finished = subprocess.run(command, check=False, cwd=directory, capture_output=True, text=True)
    except OSError as problem:
        raise Unavailable(str(problem)) from problem
    if finished.returncode != 0:
        said = (finished.stderr.strip() or finished.stdout.strip() or "nothing").splitlines()
        raise Unavailable("\n    ".join([f"{Path(command[0]).name} failed:", *said[-10:]]))
    return finished.stdout.rstrip("\n")
