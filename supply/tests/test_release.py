"""scripts/release, as far as it does not build; `make test-packages` builds what it would."""

import subprocess

import pytest
from pins import ROOT

URL = "--url=https://example.org/handoff"


def release(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [str(ROOT / "scripts" / "release"), *arguments, URL]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_dry_run_commits_and_tags_in_a_clone_only() -> None:
    before = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    done = release("900.0.0", "900.0.1", "--dry-run", "--without-build")

    assert done.returncode == 0, done.stderr
    assert "Begin 900.0.1" in done.stdout
    assert "Release 900.0.0" in done.stdout
    assert "nothing is kept" in done.stdout
    state = subprocess.run(["git", "tag", "--list", "v900*"], cwd=ROOT, check=True, capture_output=True, text=True)
    after = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert (state.stdout, after) == ("", before)


@pytest.mark.parametrize(
    ("versions", "why"),
    [
        (("1.0", "1.1.0"), "1.0 is no version like 1.2.3"),
        (("1.10.0", "1.9.0"), "1.9.0 does not come after 1.10.0"),
    ],
)
def test_refuses_versions_in_no_order(versions: tuple[str, str], why: str) -> None:
    done = release(*versions, "--dry-run", "--without-build")

    assert (done.returncode, done.stderr) == (1, f"scripts/release: {why}\n")
