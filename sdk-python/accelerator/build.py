#!/usr/bin/env python3
"""Compiles the accelerator for tests and benchmarks: build.py FOLDER [OPTION OF THE COMPILER]...

FOLDER gets the package `handoff_worker_accelerator`, for PYTHONPATH. Exits with 3 and says why where there is no C compiler, or no header
of this Python. The wheels that are published are made by setuptools (pyproject.toml).
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

SOURCES = Path(__file__).parent / "src"
NAME = "handoff_worker_accelerator"
# As in pyproject.toml: what Python 3.10 has, and each later one.
OPTIONS = ["-O2", "-fPIC", "-DPy_LIMITED_API=0x030A0000"]
UNAVAILABLE = 3


class Unavailable(Exception):
    """It cannot be compiled here; the message says why."""


def build(folder: Path, *options: str) -> Path:
    """Returns the package."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    if shutil.which(compiler[0]) is None:
        raise Unavailable(f"there is no C compiler {compiler[0]}")
    headers = sysconfig.get_path("include")
    if not Path(headers, "Python.h").exists():
        raise Unavailable(f"there is no Python.h in {headers}")
    package = folder / NAME
    shutil.copytree(SOURCES / NAME, package, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    undefined = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    command = [*compiler, "-shared", *undefined, *OPTIONS, f"-I{headers}", *options]
    command += [str(SOURCES / "_native.c"), "-o", str(package / "_native.abi3.so")]
    subprocess.run(command, check=True)
    return package


if __name__ == "__main__":
    try:
        print(build(Path(sys.argv[1]), *sys.argv[2:]))
    except Unavailable as problem:
        print(f"build.py: {problem}", file=sys.stderr)
        sys.exit(UNAVAILABLE)
