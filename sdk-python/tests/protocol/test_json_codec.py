"""Which JSON library is used."""

import subprocess
import sys
from pathlib import Path

import pytest

SAYS = "from handoff_worker.protocol import json_codec; print(json_codec.decode(b'[1]'), json_codec.refused)"


def _said_with(version: str, folder: Path) -> str:
    module = f"__version__ = {version!r}\nloads = lambda text: 'orjson'\ndumps = lambda value: b'null'\n"
    (folder / "orjson.py").write_text(module)
    return subprocess.check_output(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder)!r}); {SAYS}"], text=True
    )


@pytest.mark.parametrize("version", ["3.9.15", "3.10.0", "3.10.0rc1", "4.0.0"])
def test_orjson_is_used_where_it_is_installed(version: str, tmp_path: Path) -> None:
    assert _said_with(version, tmp_path) == "orjson None\n"


@pytest.mark.parametrize("version", ["3.9.14", "3.8.3", "2.0.0", "unknown"])
def test_an_orjson_that_deep_json_ends_is_not_used(version: str, tmp_path: Path) -> None:
    said = _said_with(version, tmp_path)
    assert said.startswith(f"[1] orjson {version} is not used")
    assert "CVE-2024-27454" in said
