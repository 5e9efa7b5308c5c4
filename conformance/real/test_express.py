"""
The tests of Express by way of our IncomingMessage and ServerResponse, as they take the place of node:http's in each server of the
tests. npm's package has no tests: EXPRESS names a checkout of it, of the version in package.json.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from served import HERE, MODULES, ROOT

CHECKOUT = os.environ.get("EXPRESS")
VERSION = json.loads((HERE / "package.json").read_text())["dependencies"]["express"]
BRIDGE = ROOT / "sdk-node" / "test" / "support" / "bridge.mjs"

pytestmark = pytest.mark.skipif(
    not CHECKOUT, reason=f"npm's package of Express has no tests; EXPRESS=folder names a checkout of {VERSION}"
)

NOT_THE_BRIDGES = {"HEAD should output the same headers as GET requests"} | {
    f"express.{parser}() should handle empty message-body" for parser in ("json", "raw", "text", "urlencoded")
}
"""The bridge leaves out the length that only the core writes, to HEAD and of a body without a byte; a whole Handoff has both."""


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("express") / "express"
    shutil.copytree(str(CHECKOUT), folder, ignore=shutil.ignore_patterns("node_modules", ".git"))
    assert json.loads((folder / "package.json").read_text())["version"] == VERSION
    (folder / "node_modules").symlink_to(MODULES)
    return folder


def run(checkout: Path, tests: str, *node: str) -> tuple[int, set[str]]:
    """How many passed, and the names of those that failed."""
    report = checkout.parent / "report.json"
    mocha = [str(MODULES / "mocha" / "bin" / "mocha.js"), "--require", "test/support/env", "--check-leaks"]
    output = ["--reporter", "json", "--reporter-option", f"output={report}"]
    subprocess.run(
        ["node", *node, *mocha, *output, tests], check=False, cwd=checkout, timeout=1200, stderr=subprocess.DEVNULL
    )
    told = json.loads(report.read_text())
    report.unlink()
    return told["stats"]["passes"], {each["fullTitle"] for each in told["failures"]}


@pytest.mark.parametrize(("part", "tests", "all_"), [("acceptance", "test/acceptance/", 108), ("unit", "test/", 1128)])
def test_express(checkout: Path, part: str, tests: str, all_: int) -> None:
    passed, failed = run(checkout, tests, "--import", BRIDGE.as_uri())
    own_passed, own_failed = run(checkout, tests)
    print(f"Express, {part}: {passed} pass, {own_passed} on node:http; failed: {sorted(failed)}, {sorted(own_failed)}")
    assert (own_passed, own_failed) == (all_, set())
    assert failed <= NOT_THE_BRIDGES
    assert passed + len(failed) == all_
