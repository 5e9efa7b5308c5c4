"""The objects in the heap of a Java process that are in use, class by class."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from harness.load import LoadFailed
from harness.server import Server
from harness.workspace import Workspace, output_of

ROW = re.compile(r"\s*\d+:\s+(\d+)\s+(\d+)\s+(\S+)")
FILLERS = "jdk.internal.vm.Filler"
"""No objects: a collector puts them into gaps that it does not close."""
LONGS = "[J"
"""Arrays of longs, which the statistics have: they count times of the last seconds, so they come and go with time."""


@dataclass(frozen=True)
class Objects:
    """Of one class."""

    count: int
    size_bytes: int


Heap = Mapping[str, Objects]
NONE = Objects(0, 0)


def live_heap(server: Server, workspace: Workspace) -> Heap:
    """After a full collection, which this begins."""
    return heap_of(output_of(workspace.java("jcmd"), str(server.process.pid), "GC.class_histogram"))


def heap_of(histogram: str) -> Heap:
    """Reads the rows, whose sum is the last line: Total, how many objects, how many bytes."""
    *lines, last = histogram.rstrip().split("\n")
    heap: dict[str, Objects] = {}
    for row in filter(None, map(ROW.match, lines)):
        known = heap.get(row[3], NONE)
        heap[row[3]] = Objects(known.count + int(row[1]), known.size_bytes + int(row[2]))
    total = f"Total {sum(each.count for each in heap.values())} {sum(each.size_bytes for each in heap.values())}"
    if not heap or last.split() != total.split():
        raise LoadFailed(f"jcmd ended with {' '.join(last.split())!r}, not with {total!r}")
    return heap


def grown_by(less: Heap, more: Heap, number: int) -> int:
    """The bytes by which so many more of something made it grow; without what has grown with time."""
    total = 0
    for name in less.keys() | more.keys():
        before, after = less.get(name, NONE), more.get(name, NONE)
        with_time = name == LONGS and after.count - before.count < number
        if not with_time and FILLERS not in name:
            total += after.size_bytes - before.size_bytes
    return total
