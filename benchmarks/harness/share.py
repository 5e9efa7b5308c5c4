"""Holds a process and its descendants to a share of one core, by a control group of the kernel's."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness import process_tree
from harness.workspace import Unavailable

GROUPS = Path("/sys/fs/cgroup")
PERIOD_MICROS = 10_000
"""Short, so that what waits for the next period waits for hardly more than a core of that speed would take."""


@contextmanager
def held(root: int, share: float) -> Iterator[None]:
    """The tree of processes gets `share` of a core until the block ends; needs root's rights."""
    group = _root() / f"handoff-benchmark-{root}"
    try:
        group.mkdir()
        _limit(group, int(share * PERIOD_MICROS))
        _move(root, group)
    except OSError as problem:
        raise Unavailable(f"processes cannot be held to a share of a core here: {problem}") from problem
    try:
        yield
    finally:
        # Its processes have to be elsewhere before it can go.
        _move(root, _root())
        group.rmdir()


def _root() -> Path:
    first = GROUPS / "cpu"
    return first if first.is_dir() else GROUPS


def _limit(group: Path, quota_micros: int) -> None:
    if (group / "cpu.cfs_quota_us").exists():
        (group / "cpu.cfs_period_us").write_text(str(PERIOD_MICROS))
        (group / "cpu.cfs_quota_us").write_text(str(quota_micros))
    else:
        (group / "cpu.max").write_text(f"{quota_micros} {PERIOD_MICROS}")


def _move(root: int, group: Path) -> None:
    for process in process_tree.tree(root):
        (group / "cgroup.procs").write_text(str(process))
