"""WebDAV by the suite of Debian's package litmus, which speaks to WsgiDAV."""

import os
import re
import shutil
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from served import gunicorn, handoff

pytestmark = pytest.mark.skipif(shutil.which("litmus") is None, reason="there is no litmus (Debian: litmus)")

PASSED = {"basic": (16, 16), "copymove": (13, 13), "props": (30, 30), "http": (4, 4), "locks": (9, 13)}
"""
Of each part, how many pass of how many that are run. litmus finds no lock in what WsgiDAV says of it, on gunicorn as on Handoff, and
skips what needs one. That part comes last, as it leaves its collection locked.
"""


def litmus(server: AbstractContextManager[str], folder: Path) -> dict[str, tuple[int, int]]:
    folder.mkdir()
    with server as url:
        run = subprocess.run(
            ["litmus", "--keep-going", f"{url}/"],
            check=False,
            cwd=folder,
            env={**os.environ, "TESTS": " ".join(PASSED)},
            stdout=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=600,
        )
    found = re.findall(r"summary for `(\w+)': of (\d+) tests run: (\d+) passed", run.stdout)
    (folder / "output").write_text(run.stdout)
    return {part: (int(passed), int(all_)) for part, all_, passed in found}


def test_webdav(tmp_path: Path) -> None:
    def environment(name: str) -> dict[str, str]:
        (tmp_path / name).mkdir()
        return {"WEBDAV_FOLDER": str(tmp_path / name)}

    served = litmus(handoff("webdav:app", environment=environment("a")), tmp_path / "handoff")
    by_gunicorn = litmus(gunicorn("webdav:app", environment("b")), tmp_path / "gunicorn")
    print("litmus", served, "gunicorn", by_gunicorn)
    assert served == by_gunicorn == PASSED
