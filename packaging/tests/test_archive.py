"""What lies in the archive, and what does not."""

import json
import re
import tarfile
import zipfile
from pathlib import Path

import components
import pytest
from components import ROOT

# A first download, over which nobody should think twice.
LARGEST_BYTES = 50_000_000


def test_is_below_its_limit(archive: Path) -> None:
    assert archive.stat().st_size < LARGEST_BYTES


def test_does_not_tell_who_packed_it_nor_when(archive: Path) -> None:
    with tarfile.open(archive) as opened:
        members = opened.getmembers()

    assert {(member.uid, member.gid, member.uname, member.gname) for member in members} == {(0, 0, "", "")}
    assert len({member.mtime for member in members}) == 1
    paths = [member.name.split("/") for member in members]
    assert paths == sorted(paths)


@pytest.mark.parametrize("pattern", ["sdk-python/handoff_worker-*-py3-none-any.whl", "sdk-node/handoff-worker-*.tgz"])
def test_has_each_sdk_once_to_install(unpacked: Path, pattern: str) -> None:
    assert len(list(unpacked.glob(pattern))) == 1


@pytest.mark.parametrize("unwanted", ["tests", "test", "node_modules", "__pycache__", ".venv", "*.egg-info", "*.pyc"])
def test_leaves_out_what_only_a_checkout_needs(unpacked: Path, unwanted: str) -> None:
    assert list(unpacked.rglob(unwanted)) == []


def test_names_no_path_of_the_machine_that_built_it(unpacked: Path) -> None:
    here = str(ROOT).encode()

    assert [path for path in unpacked.rglob("*") if path.is_file() and here in path.read_bytes()] == []


def test_has_a_licence_for_each_jar(unpacked: Path) -> None:
    for jar in components.jars_of(unpacked):
        if not jar.is_ours:
            texts = list((unpacked / "licences" / components.project_of(jar).name).iterdir())
            assert any(text.stat().st_size > 1000 for text in texts), jar.name


def test_has_the_texts_that_authors_put_into_their_jars(unpacked: Path) -> None:
    for jar in components.jars_of(unpacked):
        if jar.is_ours:
            continue
        project = components.project_of(jar)
        assert {name for name in _entries(jar.path) if re.search(r"^META-INF/(LICENSE|NOTICE)", name)} <= set(
            project.texts
        )


def test_has_the_licences_of_handoff_java_and_the_dashboard(unpacked: Path) -> None:
    assert (unpacked / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    assert "GNU General Public License" in (unpacked / "runtime/legal/java.base/LICENSE").read_text()
    assert "Leon Sorokin" in (unpacked / "licences/uPlot/LICENSE.txt").read_text()


def test_refuses_a_jar_whose_licence_nobody_looked_up(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "surprise-1.0.jar").touch()

    (surprise,) = components.jars_of(tmp_path)
    with pytest.raises(components.Unknown, match=r"surprise-1\.0\.jar"):
        components.project_of(surprise)


def test_lists_no_jar_that_is_gone(unpacked: Path) -> None:
    present = {jar.name for jar in components.jars_of(unpacked)}

    assert {name for project in components.third_parties() for name in project.jars} <= present


def test_version_of_the_charts_is_that_of_the_npm_package() -> None:
    wanted = json.loads((ROOT / "package.json").read_text())["devDependencies"]["uplot"]

    assert components.uplot_version() == wanted


def _entries(jar: Path) -> list[str]:
    with zipfile.ZipFile(jar) as opened:
        return opened.namelist()
