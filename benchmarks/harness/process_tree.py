"""CPU time and memory of a process and all its descendants, read from Linux's /proc."""

import os
import select
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def tree(root: int) -> list[int]:
    """The process ids of `root` and its descendants, parents first."""
    children: dict[int, list[int]] = {}
    for process, fields in _all_stats():
        children.setdefault(int(fields[1]), []).append(process)
    found = [root]
    for process in found:  # grows while it is walked
        found += children.get(process, [])
    return found


def handles(root: int) -> list[int]:
    """Descriptors that stand for the processes of the tree, and never for later ones of the same number."""
    found = []
    for process in tree(root):
        with suppress(ProcessLookupError):
            found.append(os.pidfd_open(process))
    return found


def await_end(handle: int, seconds: float) -> bool:
    """Whether the process ended within so many seconds."""
    readable, _, _ = select.select([handle], [], [], max(0, seconds))
    return bool(readable)


def cpu_seconds(root: int) -> float:
    """User and system time that the tree has used so far, that of children who ended and were waited for included."""
    ticks = 0
    for process in tree(root):
        fields = _stat(process)
        if fields:
            ticks += sum(map(int, fields[11:15]))  # utime, stime, cutime, cstime
    return ticks / TICKS_PER_SECOND


def own_cpu_seconds(process: int) -> tuple[float, float]:
    """User and system time that this process alone has used so far."""
    fields = _stat(process)
    user, system = (int(fields[11]), int(fields[12])) if fields else (0, 0)
    return user / TICKS_PER_SECOND, system / TICKS_PER_SECOND


def memory_bytes(root: int) -> int:
    """The tree's share of memory: pages that processes share are counted once, where the kernel tells (PSS, else RSS)."""
    return sum(map(_memory_bytes, tree(root)))


def _memory_bytes(process: int) -> int:
    for source, field in (("smaps_rollup", "Pss:"), ("status", "VmRSS:")):
        try:
            lines = (PROC / str(process) / source).read_text().splitlines()
        except OSError:
            continue
        for line in lines:
            if line.startswith(field):
                return int(line.split()[1]) * 1024
    return 0  # gone, or a zombie


def _all_stats() -> Iterator[tuple[int, list[str]]]:
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            fields = _stat(int(entry.name))
            if fields:
                yield int(entry.name), fields


def _stat(process: int) -> list[str]:
    """The fields of /proc/PID/stat from the third on (state, parent, ...); none when the process is gone."""
    try:
        text = (PROC / str(process) / "stat").read_text()
    except OSError:
        return []
    return text.rpartition(")")[2].split()  # the name before it may hold anything
