"""
`python -m handoff_worker.ready`: tells the health check of an image whether the worker in its container takes requests.

Exits with 0 while the file that `HANDOFF_READY_FILE` names is there and belongs to a living process, else with 1. Prints `ready`, or why not.
"""

import os
import sys
from pathlib import Path

from handoff_worker.engine.ready_file import started_at


def why_not(path: str | None) -> str | None:
    """Why the worker is not ready; None where it is. `path`: the ready file."""
    if not path:
        return "HANDOFF_READY_FILE is not set: name the same file to the worker and to this command"
    try:
        words = Path(path).read_text().split()
    except FileNotFoundError:
        return f"no worker is ready: {path} is not there"
    except OSError as problem:
        return f"{path} cannot be read: {problem.strerror}"
    if not words or not words[0].isdecimal():
        return f"{path} does not begin with the id of a process"
    pid, *started = words
    if not lives(int(pid)) or (started and started_at(int(pid)) != started[0]):
        return f"the process {pid}, which was ready, is gone"
    return None


def lives(pid: int) -> bool:
    """Whether there is a process with this id."""
    if Path("/proc/self/stat").exists():
        return started_at(pid) is not None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def main() -> int:
    reason = why_not(os.environ.get("HANDOFF_READY_FILE"))
    print(reason or "ready")
    return 0 if reason is None else 1


if __name__ == "__main__":
    sys.exit(main())
