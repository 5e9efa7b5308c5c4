"""The harness itself: a second cluster beside the first, which leaves nothing."""

import tempfile
from pathlib import Path

from cluster import outside
from cluster.outside import Cluster
from cluster.settings import CGROUPS


def test_nothing_is_left_of_a_cluster_that_was_ended(parts: tuple[Path, Path], cluster: Cluster) -> None:
    with outside.started(*parts) as second:
        name = second.name
        assert found(name), "the processes and groups of the second"

    assert not found(name)
    assert len(cluster.asked("nodes")["items"]) == 2


def found(name: str) -> list[str]:
    """What bears the name of a cluster: processes, groups of them, mounts, files."""
    commands = [file for file in Path("/proc").glob("[0-9]*/cmdline") if name in read(file)]
    mounts = [line for line in read(Path("/proc/self/mounts")).splitlines() if name in line]
    return [
        *map(str, commands),
        *mounts,
        *map(str, CGROUPS.glob(f"*/{name}*")),
        *map(str, Path(tempfile.gettempdir()).glob(name)),
    ]


def read(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""
