"""What samplers write, read into one form: how often each stack was seen, its outermost frame first."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from harness.workspace import ROOT

Stacks = Mapping[tuple[str, ...], int]

KERNEL = " [k]"
"""Ends the names of the kernel's frames."""
PROFILER_FILE = "node_profile.mjs"
SYSTEM_CALL = r"(__)?(libc_)?(send|recv|read|write|poll|ppoll|select|epoll_p?wait|futex)\w* \((libc|libpthread|ld-)"
"""Frames of the C library, as py-spy names them."""
SIGNALS = ("get_signal", "arch_do_signal_or_restart", "rt_sigreturn", "send_signal", "posix_timer")
"""By which V8's profiler stops a thread to look at it: what the kernel does for that is the profiler's."""


def from_async_profiler(text: str) -> Stacks:
    """`[thread tid=1];java/lang/Thread.run_[j];…;do_syscall_64_[k] 12`, as its output `collapsed` has it with `ann` and `threads`."""
    stacks: Counter[tuple[str, ...]] = Counter()
    for names, count in _collapsed(text):
        thread = re.sub(r"^\[(.*?)(?:[-#]\d+)? tid=\d+]$", r"[\1]", names[0])
        stacks[(thread, *map(_java_name, names[1:]))] += count
    return stacks


def from_py_spy(text: str) -> Stacks:
    """
    `run (handoff_worker/engine/asyncio_engine.py:98);… 3`, as `--format raw` has it; the lines are left out.

    py-spy looks by the clock, also when another process has the core. That happens most where a system call wakes that
    process. So samples inside of system calls are left out: how much processor time these take, perf knows.
    """
    stacks: Counter[tuple[str, ...]] = Counter()
    for names, count in _collapsed(text):
        if not re.match(SYSTEM_CALL, names[-1]):
            stacks[tuple(_python_name(name) for name in names)] += count
    return stacks


def from_v8(profile: Mapping[str, Any]) -> Stacks:
    """A .cpuprofile, without the samples in which nothing ran and those of the profiler itself."""
    nodes = {node["id"]: node for node in profile["nodes"]}
    parents = {child: node["id"] for node in nodes.values() for child in node.get("children", [])}
    stacks: Counter[tuple[str, ...]] = Counter()
    for node, count in Counter[int](profile["samples"]).items():
        names: list[str] = []
        at: int | None = node
        while at is not None:
            names.append(_v8_name(nodes[at]["callFrame"]))
            at = parents.get(at)
        stack = tuple(reversed(names[:-1]))  # the last is V8's (root)
        if stack and stack[-1] != "(idle)" and not any(PROFILER_FILE in name for name in stack):
            stacks[stack] += count
    return stacks


def from_perf(text: str) -> Stacks:
    """
    What `perf script -F ip,sym` prints: a sample is some lines of address and name, innermost first, and an empty line.

    Only the kernel's part is read, because perf knows no functions of interpreters. What was not in the kernel is an
    empty stack.
    """
    stacks: Counter[tuple[str, ...]] = Counter()
    for sample in re.split(r"\n\s*\n", text.strip("\n")):
        frames = [line.split(maxsplit=1) for line in sample.splitlines() if line.strip()]
        # The kernel has the upper half of all addresses.
        kernel = [frame[-1].strip() + KERNEL for frame in frames if len(frame[0]) == 16 and frame[0][0] in "89abcdef"]
        if frames and not any(word in name for name in kernel for word in SIGNALS):
            stacks[tuple(reversed(kernel))] += 1
    return stacks


def total(stacks: Stacks) -> int:
    return sum(stacks.values())


def _collapsed(text: str) -> Iterable[tuple[list[str], int]]:
    for line in text.splitlines():
        names, _, count = line.rpartition(" ")
        if names and count.isdigit():
            yield names.split(";"), int(count)


def _java_name(name: str) -> str:
    kernel = name.endswith("_[k]")
    plain = re.sub(r"_\[[0-9a-z]]$", "", name)
    if kernel:
        return plain + KERNEL
    if "/" in plain:
        plain = plain.replace("/", ".")
    # Lambdas have a new number in each run.
    return re.sub(r"\$\$Lambda\.0x[0-9a-f]+", "$$Lambda", plain)


def _python_name(name: str) -> str:
    # What has no symbol has an address, a new one in each run.
    return re.sub(r"^0x[0-9a-f]+ ", "? ", re.sub(r"\((.*):\d+\)$", r"(\1)", name))


def _v8_name(frame: Mapping[str, Any]) -> str:
    name = frame["functionName"] or "(anonymous)"
    return f"{name} ({frame['url'].removeprefix('file://').removeprefix(f'{ROOT}/')})" if frame["url"] else name
