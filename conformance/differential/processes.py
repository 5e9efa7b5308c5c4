"""A server while it runs."""

import os
import queue
import re
import subprocess
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from differential.servers import Server

READY_SECONDS = 60
STOP_SECONDS = 15
LINES_KEPT = 20

# `port 1234` of the peers, and the address that Handoff prints first.
PORT = re.compile(r"(?:^port |http://127\.0\.0\.1:)(\d+)")


class ServerFailed(Exception):
    """A server that did not start."""


@dataclass
class Output:
    """Reads what a server prints, for good, so that it never waits for a reader. A thread of its own runs `follow`."""

    process: subprocess.Popen[str]
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=LINES_KEPT))
    ports: "queue.SimpleQueue[int | None]" = field(default_factory=queue.SimpleQueue)
    """The port, once it is known; None at the end of the output."""

    def follow(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            found = PORT.search(line)
            if found:
                self.ports.put(int(found[1]))
        self.ports.put(None)


@contextmanager
def running(server: Server) -> Iterator[int]:
    """Starts a server, gives its port, and stops it however the block ends."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HANDOFF_")}
    process = subprocess.Popen(
        server.command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environment,
    )
    output = Output(process)
    reader = threading.Thread(target=output.follow, name=f"output of {server.key}")
    reader.start()
    try:
        yield _port(server, output)
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        reader.join()


def _port(server: Server, output: Output) -> int:
    try:
        port = output.ports.get(timeout=READY_SECONDS)
    except queue.Empty:
        port = None
    if port is None:
        raise ServerFailed(f"{server.key} has not started:\n{''.join(output.lines)}")
    return port
