"""The manual page and the completion name what the command has, where `man` and bash look for them."""

import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from clean_room import CleanRoom

PAGE = Path("share/man/man1/handoff.1")
COMPLETION = Path("share/bash-completion/completions/handoff")


@pytest.fixture(scope="module")
def commands(clean_room: CleanRoom, unpacked: Path) -> set[str]:
    """Those that --help lists."""
    told = clean_room.run(unpacked / "handoff", "--help").stdout
    found = set(re.findall(r"^  ([a-z]+)  +\S", told, re.MULTILINE))
    assert {"run", "serve", "config", "top"} <= found
    return found


def completed(unpacked: Path, *words: str) -> set[str]:
    """What bash offers for the last of the words."""
    typed = " ".join(f"'{word}'" for word in ("handoff", *words))
    asked = [
        f"source '{unpacked / COMPLETION}'",
        f"COMP_WORDS=({typed}) COMP_CWORD={len(words)}",
        "$(complete -p handoff | sed 's/.*-F \\([^ ]*\\).*/\\1/')",
        """printf '%s\\n' "${COMPREPLY[@]}\"""",
    ]
    done = subprocess.run(["bash", "-c", "\n".join(asked)], check=True, capture_output=True, text=True)
    return {word.strip() for word in done.stdout.split()}


def test_page_has_every_command_and_option(clean_room: CleanRoom, unpacked: Path, commands: set[str]) -> None:
    page = (unpacked / PAGE).read_text()

    assert commands <= {title.lower() for title in re.findall(r"^\.SH (.+)$", page, re.MULTILINE)}
    options = set(re.findall(r"--[a-z-]+", clean_room.run(unpacked / "handoff", "run", "--help").stdout))
    assert len(options) > 40
    assert options <= set(re.findall(r"--[a-z-]+", page.replace("\\-", "-")))


@pytest.mark.skipif(shutil.which("man") is None or shutil.which("groff") is None, reason="there is no man")
def test_man_shows_it(unpacked: Path) -> None:
    reading = ["man", "--warnings", "--local-file", str(unpacked / PAGE)]
    shown = subprocess.run(
        reading, check=True, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "MANWIDTH": "200"}
    )

    assert shown.stderr == ""
    assert "handoff - an HTTP/1.x server" in shown.stdout
    assert "--max-connections" in shown.stdout


def test_bash_completes_commands_and_options(unpacked: Path, commands: set[str]) -> None:
    assert commands <= completed(unpacked, "")
    assert completed(unpacked, "se") == {"serve"}
    assert {"--max-connections", "--max-message"} <= completed(unpacked, "run", "--max")


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="there is no dpkg-deb")
def test_debian_package_has_them_where_debian_looks(packed: list[Path], unpacked: Path, tmp_path: Path) -> None:
    package = next(path for path in packed if path.suffix == ".deb")
    subprocess.run(["dpkg-deb", "--extract", package, tmp_path], check=True)

    page = gzip.decompress((tmp_path / "usr" / f"{PAGE}.gz").read_bytes())
    assert page == (unpacked / PAGE).read_bytes()
    assert (tmp_path / "usr" / COMPLETION).read_bytes() == (unpacked / COMPLETION).read_bytes()
