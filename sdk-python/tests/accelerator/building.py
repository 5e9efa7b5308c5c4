"""The accelerator, compiled for this Python with all warnings."""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]
SOURCES = ROOT / "sdk-python" / "accelerator"
BUILD = SOURCES / "build.py"
STRICT = ["-Wall", "-Wextra", "-Werror", "-Wconversion"]
UNAVAILABLE = 3


def built(python: str = sys.executable) -> Path:
    """A folder for PYTHONPATH. Skips the test where this machine cannot compile it."""
    content = hashlib.sha256(f"{python} {os.environ.get('CC')}".encode())
    for file in [BUILD, *sorted(path for path in (SOURCES / "src").rglob("*") if path.suffix in (".c", ".py", ".pyi"))]:
        content.update(file.read_bytes())
    folder = ROOT / "target" / "accelerator-tests" / content.hexdigest()[:16]
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Several processes of tests may do this at once, and the first one gives the name.
        scratch = Path(tempfile.mkdtemp(dir=folder.parent))
        finished = subprocess.run([python, BUILD, scratch, *STRICT], check=False, capture_output=True, text=True)
        if finished.returncode == UNAVAILABLE:
            shutil.rmtree(scratch)
            pytest.skip(f"the accelerator: {finished.stderr.strip()}")
        assert finished.returncode == 0, finished.stderr
        try:
            scratch.rename(folder)
        except OSError:
            shutil.rmtree(scratch)
    return folder


def native() -> ModuleType:
    """The part in C, imported beside whatever this process uses."""
    file = built() / "handoff_worker_accelerator" / "_native.abi3.so"
    spec = importlib.util.spec_from_file_location("_native", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
