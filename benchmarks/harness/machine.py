"""What a reader needs to know of where and when the figures come from."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

from harness.workspace import ROOT


def cores() -> int:
    return os.cpu_count() or 1


def description() -> list[str]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return [
        f"{_cpu_model()}, {cores()} cores, {memory:.0f} GiB",
        f"{_system()}, {platform.system()} {platform.release()}",
    ]


def wrk_version() -> str:
    if shutil.which("wrk") is None:
        return "wrk"  # whoever only writes a page, as tests do, need not have it
    # It prints its version with its usage, and ends with 1.
    said = subprocess.run(["wrk", "-v"], check=False, capture_output=True, text=True).stdout
    return " ".join(said.split()[:2])


def commit() -> str:
    head = _git("rev-parse", "--short=12", "HEAD")
    if not head:
        return "no commit"
    return (
        f"{head} with changes not committed" if _git("status", "--porcelain", "--", ":!benchmarks/RESULTS.md") else head
    )


def cpu_seconds() -> float:
    """What all programs on all cores have used since the start, and what a host took from this machine (steal)."""
    ticks = [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    idle = ticks[3] + ticks[4]  # the second is waiting for I/O
    return (sum(ticks) - idle) / os.sysconf("SC_CLK_TCK")


def _cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def _system() -> str:
    return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")


def _git(*arguments: str) -> str:
    finished = subprocess.run(["git", *arguments], check=False, cwd=ROOT, capture_output=True, text=True)
    return finished.stdout.strip() if finished.returncode == 0 else ""
