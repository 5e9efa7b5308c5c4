"""The file by which a health check sees that this worker takes requests (PROTOCOL.md, `Transport`, `HANDOFF_READY_FILE`)."""

import os
from contextlib import suppress

from handoff_worker.log.logger import log


class ReadyFile:
    """
    A file that exists exactly while the worker is welcomed and its window is open.

    Its one line has the id of the process and, on Linux, the time at which the process started. So a check can tell the file of a
    killed process from that of a living one.
    """

    def __init__(self, path: str | None) -> None:
        """Removes the file of an earlier process. Without a path nothing is ever written."""
        self._path = path
        self.remove()

    def put(self) -> None:
        """Writes the file; logs an error where it cannot be written."""
        if self._path is None:
            return
        # Written beside the path and then moved to it, so that a check sees all of the file or none.
        unfinished = f"{self._path}.{os.getpid()}"
        try:
            with suppress(FileNotFoundError):
                os.unlink(unfinished)
            with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "w") as file:
                file.write(f"{os.getpid()} {started_at(os.getpid()) or ''}".rstrip() + "\n")
            os.replace(unfinished, self._path)
        except OSError as problem:
            log.error("HANDOFF_READY_FILE cannot be written, so health checks fail: %s", problem)

    def remove(self) -> None:
        """Removes the file. May be called twice, and by a signal handler."""
        if self._path is None:
            return
        try:
            os.unlink(self._path)
        except FileNotFoundError:
            pass
        except OSError as problem:
            log.error("HANDOFF_READY_FILE cannot be removed, so health checks may be wrong: %s", problem)


def started_at(pid: int) -> str | None:
    """When a process started, in ticks since boot; None for a process that has ended, and where the system does not say."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name stands in parentheses and may have any characters. Behind it come the state and 18 numbers.
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if fields[0] in (b"Z", b"X") else fields[19].decode()
