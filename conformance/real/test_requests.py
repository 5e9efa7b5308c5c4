"""The tests of the package requests, against httpbin."""

import os
import re
import subprocess
import sys
from contextlib import AbstractContextManager
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

import pytest
from served import APPLICATIONS, HERE, ROOT, gunicorn, handoff

PASSED = 613
"""Of 629, which skip 15 and expect one to fail; most ask httpbin nothing."""
ELSEWHERE = "not connect_timeout and not timeout_connect"
"""Four that wait for an address of another network."""


@pytest.fixture(scope="session")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the tests, which only the source archive has. Its hash stands beside the wheel's."""
    folder = tmp_path_factory.mktemp("requests")
    lock = (HERE / "requirements.lock.txt").read_text()
    entry = re.search(r"^requests==(?:.*\\\n)+.*\n", lock, re.MULTILINE)
    assert entry
    (folder / "requests.txt").write_text(entry[0])
    listed = ["--dest", str(folder), "--requirement", str(folder / "requests.txt")]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--require-hashes", "--no-deps", *listed]
    if subprocess.run([*command, "--no-binary", "requests", "--no-build-isolation"], check=False, cwd=ROOT).returncode:
        pytest.skip("the source archive of requests cannot be had")
    archive = next(folder.glob("requests-*.tar.gz"))
    subprocess.run(["tar", "-x", "-f", archive, "-C", folder], check=True)
    return folder / f"requests-{version('requests')}" / "tests"


def outcomes(server: AbstractContextManager[str], suite: Path, result: Path) -> dict[str, str]:
    with server as url:
        environment = {**os.environ, "HTTPBIN_URL": url, "PYTHONPATH": str(APPLICATIONS)}
        words = [
            "-q",
            "-p",
            "no:pytest_httpbin",
            "-p",
            "no:httpbin",
            "-p",
            "served_httpbin",
            "-p",
            "no:cacheprovider",
            "-k",
            ELSEWHERE,
        ]
        subprocess.run(
            [sys.executable, "-m", "pytest", *words, f"--junitxml={result}", "--tb=short", "tests"],
            check=False,
            cwd=suite.parent,
            env=environment,
            stdout=result.with_suffix(".log").open("w"),
            timeout=1200,
        )
    found = {}
    for case in ElementTree.parse(result).iter("testcase"):
        wrong = next((child.tag for child in case if child.tag in ("failure", "error", "skipped")), "passed")
        found[f"{case.get('classname')}.{case.get('name')}"] = wrong
    return found


def test_requests(suite: Path, tmp_path: Path) -> None:
    served = outcomes(handoff("httpbin:app"), suite, tmp_path / "handoff.xml")
    by_gunicorn = outcomes(gunicorn("httpbin:app"), suite, tmp_path / "gunicorn.xml")
    passed = sum(outcome == "passed" for outcome in served.values())
    differ = {name: (served.get(name), by_gunicorn.get(name)) for name in served.keys() | by_gunicorn.keys()}
    differ = {name: both for name, both in differ.items() if both[0] != both[1]}
    print(
        "requests:",
        passed,
        "of",
        len(served),
        "pass; failed:",
        [n for n, o in served.items() if o in ("failure", "error")],
    )
    print("other than on gunicorn:", differ)
    assert passed >= PASSED
    assert differ == {}
