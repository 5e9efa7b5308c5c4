"""What the core tells a worker by its environment (PROTOCOL.md, `Transport`)."""

import os
import socket
import sys
from typing import NamedTuple

from handoff_worker.protocol import frames
from handoff_worker.version import __version__

MOST_CHARACTERS = 256
"""Of what a hello tells (PROTOCOL.md, `hello`)."""


class BadEnvironment(Exception):
    """A variable is missing or makes no sense: says which, and what to do."""


class Environment(NamedTuple):
    socket: str
    pool: str | None
    token: str | None
    """The secret of this process; None if it was not the core that started it."""
    name: str | None
    window: int | None
    """What `--concurrency` asks for; None for the worker's choice."""
    ready_file: str | None = None
    """Where a health check looks; None for a worker of the core, which is asked itself."""

    @property
    def spawned(self) -> bool:
        """Whether the core started this process, which then ends with it."""
        return self.token is not None

    def hello(self) -> bytes:
        """The first frame. Its window is 0: the application has not started yet."""
        head = {
            "type": "hello",
            "protocol": frames.PROTOCOL,
            "concurrency": 0,
            "pool": self.pool,
            "token": self.token,
            "name": self.name,
            "pid": os.getpid(),
            "host": socket.gethostname()[:MOST_CHARACTERS] or None,
            "language": "python " + ".".join(map(str, sys.version_info[:3])),
            "sdk": f"handoff-worker {__version__}",
        }
        return frames.frame({key: value for key, value in head.items() if value is not None})


def read() -> Environment:
    """
    Reads the variables, and takes the secret out of the environment, so that children of this process don't get it.

    Raises `BadEnvironment` if no socket is named.
    """
    path = os.environ.get("HANDOFF_SOCKET")
    if not path:
        raise BadEnvironment(
            "HANDOFF_SOCKET is not set: start this file with 'handoff run FILE', "
            "or set it to the worker socket of a running server ('handoff serve --socket PATH')"
        )
    token = os.environ.pop("HANDOFF_TOKEN", None)
    return Environment(
        path,
        os.environ.get("HANDOFF_POOL"),
        token,
        os.environ.get("HANDOFF_WORKER"),
        _window(os.environ.get("HANDOFF_CONCURRENCY")),
        os.environ.get("HANDOFF_READY_FILE") or None if token is None else None,
    )


def _window(text: str | None) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or not 1 <= int(text) < 2**31:
        raise BadEnvironment(f"HANDOFF_CONCURRENCY is {text!r}: expected a whole number from 1")
    return int(text)
