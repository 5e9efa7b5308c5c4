"""What each thread of a process has used, read from Linux's /proc."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from harness.process_tree import PROC


@dataclass(frozen=True)
class Usage:
    cpu_micros: float
    system_calls: int
    """Reads and writes. Those that a program makes by recv and send are not in it."""
    sleeps: int
    """How often it waited for something of its own accord."""

    def since(self, before: "Usage") -> "Usage":
        return Usage(
            self.cpu_micros - before.cpu_micros,
            self.system_calls - before.system_calls,
            self.sleeps - before.sleeps,
        )


NOTHING = Usage(0, 0, 0)


def usage(process: int) -> dict[tuple[int, str], Usage]:
    """Of each thread, by its number and name; CPU time to the nanosecond, where /proc/PID/stat knows ticks of 10 ms."""
    found = {}
    for thread in (PROC / str(process) / "task").iterdir():
        with suppress(OSError):  # it has ended meanwhile
            name = (thread / "comm").read_text().strip()
            nanos = int((thread / "schedstat").read_text().split()[0])
            calls = _numbers((thread / "io").read_text())
            status = _numbers((thread / "status").read_text())
            found[int(thread.name), name] = Usage(
                nanos / 1000, calls["syscr"] + calls["syscw"], status["voluntary_ctxt_switches"]
            )
    return found


def used(before: Mapping[tuple[int, str], Usage], after: Mapping[tuple[int, str], Usage]) -> dict[str, Usage]:
    """Between two looks, by the name of the thread; those that share a name are added."""
    by_name: dict[str, Usage] = {}
    for key, now in after.items():
        gained = now.since(before.get(key, NOTHING))
        old = by_name.get(key[1], NOTHING)
        by_name[key[1]] = Usage(
            old.cpu_micros + gained.cpu_micros, old.system_calls + gained.system_calls, old.sleeps + gained.sleeps
        )
    return by_name


def _numbers(text: str) -> dict[str, int]:
    pairs = (line.split(":", 1) for line in text.splitlines())
    return {name: int(value) for name, value in pairs if value.strip().isdigit()}
