"""All that pip and npm install in the build is named with its hashes, and each list has the lock that belongs to it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pins
import pytest
from pins import ROOT

HASHED = "--require-hashes"
LOCAL = ("--no-deps", "--no-index")

# `pip install`, as a command line and as a list of words in Python.
INSTALLS = re.compile(
    r"""\bpip(?:3|\d\.\d+)?["']?,?\s+["']?(?:install|download)\b|["']pip["'],\s*["']install\b|["']pip["'],\s*\*"""
)

# These tests have such commands as words.
OF_WORDS = (Path(__file__).resolve(), Path(__file__).resolve().with_name("test_names.py"))

# What the SDK tells a developer to install installs nothing.
ADVICE = ("a multipart form was sent", "pip install 'multipart")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("requirements", pins.PYTHON_LISTS, ids=name_of)
def test_lock_has_what_its_list_names(requirements: Path) -> None:
    versions = {entry.name: entry.version for entry in pins.locked(pins.lock_of(requirements))}
    named = pins.required(requirements)

    assert named
    for name, version in named.items():
        assert name in versions, f"{name} is not in the lock: make lock-python"
        assert version in ("", versions[name]), f"{name} has another version in the lock: make lock-python"


@pytest.mark.parametrize("requirements", pins.PYTHON_LISTS, ids=name_of)
def test_lock_has_hashes_of_everything(requirements: Path) -> None:
    lock = pins.lock_of(requirements)
    entries = pins.locked(lock)

    assert len(entries) == len(re.findall(r"^[A-Za-z0-9]", lock.read_text(), re.MULTILINE))
    for entry in entries:
        assert entry.hashes, entry
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", each) for each in entry.hashes), entry


def test_lists_are_all_there_are() -> None:
    # What users of an example install is theirs to choose.
    found = {path for path in pins.tracked("*requirements*.txt") if not name_of(path).startswith("examples-")}
    locks = {pins.lock_of(requirements) for requirements in pins.PYTHON_LISTS}

    assert found == locks | set(pins.PYTHON_LISTS)


def commands() -> Iterator[tuple[str, str]]:
    """Where something of the build installs, and the command; documents tell users what they may do."""
    for path in pins.tracked("."):
        if path.suffix in (".md", ".json", ".txt") or path in OF_WORDS:
            continue
        try:
            lines = path.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
        except (UnicodeDecodeError, FileNotFoundError):
            continue  # what a build makes may be gone by now
        # Python's commands are lists, of which a part may stand in the lines around.
        around = 2 if path.suffix == ".py" else 0
        for number, line in enumerate(lines):
            advice = any(each in line for each in ADVICE)
            if INSTALLS.search(line) and not advice and not line.lstrip().startswith(("#", "//", "*")):
                yield (
                    f"{name_of(path)}: {line.strip()}",
                    "\n".join(lines[max(0, number - around) : number + around + 1]),
                )


def test_everything_that_pip_installs_has_hashes_or_is_ours() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert re.search(rf"^HASHED := {HASHED} --only-binary :all:$", makefile, re.MULTILINE)
    found = list(commands())

    assert len(found) >= 6
    unhashed = [place for place, text in found if not any(each in text for each in (HASHED, "$(HASHED)", *LOCAL))]
    assert unhashed == []


def test_npm_lock_has_the_hash_of_everything() -> None:
    for lock in pins.NPM_LOCKS:
        for folder, package in pins.npm_locked(lock).items():
            # What a package brings in its own archive is in the hash of that.
            assert package.get("integrity") or package.get("inBundle"), f"{name_of(lock)}: {folder}"
            assert str(package.get("integrity", "sha512-")).startswith("sha512-"), f"{name_of(lock)}: {folder}"
            # The hosts of registries are for each machine to choose.
            assert "resolved" not in package, f"{name_of(lock)}: {folder}"


def test_npm_locks_are_all_there_are() -> None:
    assert set(pins.tracked("*package-lock.json")) == set(pins.NPM_LOCKS)


def test_npm_installs_by_its_lock_only() -> None:
    """
    `npm ci` refuses a lock that does not fit its list, and runs nothing of what it installs if told not to; `npx --no-install`
    fetches nothing.
    """
    found = set()
    for path in [*pins.tracked("Makefile", "scripts/*", ".ci/*", "*Dockerfile", "*.py", "*.mjs", "*.yml")]:
        if path in OF_WORDS:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            # Without a network npm installs what `npm ci` has fetched.
            if line.lstrip().startswith(("#", "//")) or "npm install --offline" in line:
                continue
            for command in re.findall(
                r"""\bnpm["']?,?\s+["']?(ci|install|i|add|exec)\b|\bnpx ((?!--no-install|handoff-server)\S+)""", line
            ):
                found.add((f"{name_of(path)}:{number + 1}", "".join(command)))
                assert "ci" not in command or "--ignore-scripts" in line, f"{name_of(path)}:{number + 1}"

    assert {command for _, command in found if command == "ci"}
    assert [each for each in found if each[1] != "ci" and "tsx" not in each[1]] == []
