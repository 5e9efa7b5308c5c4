"""The file by which a health check sees that this worker takes requests (PROTOCOL.md, `Transport`, `HANDOFF_READY_FILE`)."""

import os
from contextlib import suppress

from handoff_worker.log.logger import log


class ReadyFile:
    """
    A file that exists exactly while the worker is welcomed and its window is open. Its one line has the id of the process and,
    on Linux, the time at which that started: so the file of a killed process is told from that of a living one.
    """

    def __init__(self, path: str | None) -> None:
        """Without a path nothing is ever written. What an earlier process has left there goes."""
        self._path = path
        self.remove()

    def put(self) -> None:
        if self._path is None:
            return
        # Beside it and then in its place, so that a check sees all of it or none.
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
        """May be called by a signal handler, and twice."""
        if self._path is None:
            return
        try:
            os.unlink(self._path)
        except FileNotFoundError:
            pass
        except OSError as problem:
            log.error("HANDOFF_READY_FILE cannot be removed, so health checks may be wrong: %s", problem)


def started_at(pid: int) -> str | None:
    """In ticks since the boot of the machine; None where there is no such process, it has ended, or the system does not say."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name in parentheses, which may have any characters, is followed by the state and 18 numbers.
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if fields[0] in (b"Z", b"X") else fields[19].decode()
