"""Forks faulty workers, each in a process of its own, without starting Python anew for each: there are thousands.

Each line of stdin asks for one, {"name": ..., "fault": ..., "environment": {...}, "output": ...}. A line of stdout says its
process id, {"name": ..., "pid": ...}, and another one how it ended, {"name": ..., "exit": ...}. Its stdout and stderr go to a
FIFO that the nursery makes at `output`. All of them are killed when stdin ends.
"""

import gc
import json
import os
import select
import signal
import sys
import traceback
from typing import Any

import faulty

Order = dict[str, Any]


def say(line: Order) -> None:
    os.write(1, json.dumps(line).encode() + b"\n")


def live(order: Order) -> int:
    """What the child does; returns its exit code."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    output = os.open(order["output"], os.O_WRONLY)  # waits until somebody reads it
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.closerange(3, max(nothing, output) + 1)
    os.environ.clear()
    os.environ.update(order["environment"])
    try:
        return faulty.main(order["fault"])
    except SystemExit as end:
        if isinstance(end.code, int):
            return end.code
        print(end.code, file=sys.stderr)
    except Exception:  # noqa: BLE001  as Python ends with any
        traceback.print_exc()
    return 1


class Nursery:
    def __init__(self) -> None:
        self.names: dict[int, str] = {}

    def take(self, line: bytes) -> None:
        order = json.loads(line)
        os.mkfifo(order["output"])
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                code = live(order)
                sys.stdout.flush()
            finally:
                os._exit(code)
        self.names[pid] = order["name"]
        say({"name": order["name"], "pid": pid})

    def reap(self) -> None:
        while self.names:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            code = os.waitstatus_to_exitcode(status)
            say({"name": self.names.pop(pid), "exit": code if code >= 0 else 128 - code})

    def run(self) -> None:
        ended, ends = os.pipe()
        os.set_blocking(ends, False)
        signal.set_wakeup_fd(ends, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        unread = b""
        while True:
            ready = select.select([0, ended], [], [])[0]
            if ended in ready:
                os.read(ended, 4096)
                self.reap()
            if 0 in ready:
                came = os.read(0, 1 << 16)
                if not came:
                    break
                *lines, unread = (unread + came).split(b"\n")
                for line in lines:
                    self.take(line)
        for pid in self.names:
            os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    gc.freeze()  # or each child would copy what it only looks at
    Nursery().run()
