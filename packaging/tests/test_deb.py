"""The Debian package, which is never installed here: it is unpacked, and run from there."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from clean_room import CleanRoom

pytestmark = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="there is no dpkg-deb")


def dpkg(*arguments: str | Path) -> str:
    return subprocess.run(["dpkg-deb", *arguments], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def package(packed: list[Path]) -> Path:
    return next(path for path in packed if path.suffix == ".deb")


@pytest.fixture(scope="module")
def root(package: Path, elsewhere: Path) -> Path:
    """The root folder of a system that has it."""
    place = elsewhere / "system"
    place.mkdir()
    dpkg("--extract", package, place)
    return place


def test_describes_itself(package: Path) -> None:
    fields = dict(line.split(": ", 1) for line in dpkg("--field", package).splitlines() if not line.startswith(" "))

    assert package.name == f"handoff-server_{fields['Version']}_{fields['Architecture']}.deb"
    assert re.match(r"libc6 \(>= 2\.\d+\)", fields["Depends"])
    assert int(fields["Installed-Size"]) > 40_000


def test_is_older_than_the_release_it_leads_to(package: Path) -> None:
    version = dpkg("--field", package, "Version").strip()

    released = version.partition("~")[0]
    older = subprocess.run(["dpkg", "--compare-versions", version, "lt", released], check=False)
    assert (older.returncode == 0) == ("~" in version)


def test_scripts_can_be_run_and_ask_nothing(package: Path, tmp_path: Path) -> None:
    """What they do is tried with a real systemd: docker/tests/test_debian.py."""
    dpkg("--control", package, tmp_path / "control")

    scripts = {path for path in (tmp_path / "control").iterdir() if path.name != "control"}
    assert {path.name for path in scripts} == {"postinst", "prerm", "postrm"}
    for script in scripts:
        assert script.stat().st_mode & 0o777 == 0o755
        subprocess.run(["sh", "-n", script], check=True)


def test_scripts_do_nothing_where_there_is_no_systemd(package: Path, tmp_path: Path) -> None:
    if Path("/run/systemd/system").exists():
        pytest.skip("there is a systemd here")
    dpkg("--control", package, tmp_path / "control")

    for script, *arguments in (("postinst", "configure", "0.1"), ("prerm", "remove"), ("postrm", "remove")):
        command = ["/bin/sh", str(tmp_path / "control" / script), *arguments]
        subprocess.run(command, check=True, env={"PATH": "/nowhere"})


def test_belongs_to_root_and_only_root_may_write(package: Path) -> None:
    for line in dpkg("--contents", package).splitlines():
        mode, owner = line.split()[:2]
        assert owner == "root/root"
        assert mode.startswith("l") or re.fullmatch(r"[d-]rw[x-]r-[x-]r-[x-]", mode), line


def test_names_the_licences(root: Path) -> None:
    text = (root / "usr/share/doc/handoff-server/copyright").read_text()

    for pattern in re.findall(r"usr/lib/handoff/\S+\*", text):
        assert list(root.glob(pattern)), pattern
    for folder in re.findall(r"in /usr/lib/handoff/(licences/\S+)\.\n", text):
        assert (root / "usr/lib/handoff" / folder).is_dir()


def test_units_start_what_is_there_and_are_not_enabled(root: Path) -> None:
    units = root / "usr/lib/systemd/system"
    (start,) = re.findall(r"^ExecStart=(\S+)", (units / "handoff.service").read_text(), re.MULTILINE)

    assert (root / start.lstrip("/")).resolve() == (root / "usr/lib/handoff/handoff").resolve()
    assert sorted(path.name for path in units.iterdir()) == ["handoff.service", "handoff.socket"]
    assert not (root / "etc").exists()


def test_runs(root: Path, clean_room: CleanRoom) -> None:
    flags = "-XX:+UseParallelGC -XX:-UsePerfData -Xlog:class+load"
    done = clean_room.run(root / "usr/bin/handoff", "--version", java_options=flags)

    # Not always the last: a thread of its own makes the random numbers, and Java logs what that loads.
    lines = done.stdout.splitlines()
    assert len([line for line in lines if line.startswith("Handoff ")]) == 1
    assert any("launcher.Main " in line and "shared objects file" in line for line in lines)
    assert done.returncode == 0
