"""What the core tells a worker in environment variables (PROTOCOL.md, `Transport`)."""

import os
import socket
import sys
from typing import NamedTuple

from handoff_worker.protocol import frames
from handoff_worker.protocol.request_body import CREDIT_BYTES, MOST_WHOLE_BYTES
from handoff_worker.version import __version__

MOST_CHARACTERS = 256
"""The longest text in a hello (PROTOCOL.md, `hello`)."""


class BadEnvironment(Exception):
    """A variable is missing or has an impossible value. The message says which, and what to do."""


class Environment(NamedTuple):
    """What the variables say, read once at the start."""

    socket: str
    """The path of the worker socket."""
    pool: str | None
    token: str | None
    """The secret by which the core knows a process that it started; None for any other process."""
    name: str | None
    concurrency: int | None
    """The requests at once that `--concurrency` asks for; None for the worker's choice."""
    ready_file: str | None = None
    """Where a health check looks; None for a worker that the core started, since checks ask the core then."""

    @property
    def spawned(self) -> bool:
        """Whether the core started this process. Such a worker ends with its core."""
        return self.token is not None

    def hello(self, streams: int, web_sockets: bool = False, uploads: int = 0) -> bytes:
        """
        The first frame. Its concurrency is 0, since the application has not started yet.

        `streams`: how many responses in pieces may be under way besides the window. `web_sockets`: whether the
        application takes those. `uploads`: how many requests can be handled at once whose bodies are to come; 0 for the window.
        """
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
            "features": ["streams", "websockets", "fragments"] if web_sockets else ["streams"],
            "bodyBytes": MOST_WHOLE_BYTES,
            "streamBytes": CREDIT_BYTES,
            "streams": streams or None,
            "uploads": uploads or None,
        }
        return frames.frame({key: value for key, value in head.items() if value is not None})


def read_environment() -> Environment:
    """
    Reads the variables, and takes the secret out of the environment, so that children of this process do not get it.

    Raises `BadEnvironment` where no socket is named, or `HANDOFF_CONCURRENCY` is not a whole number from 1.
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
        _concurrency(os.environ.get("HANDOFF_CONCURRENCY")),
        os.environ.get("HANDOFF_READY_FILE") or None if token is None else None,
    )


def _concurrency(text: str | None) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or not 1 <= int(text) < 2**31:
        raise BadEnvironment(f"HANDOFF_CONCURRENCY is {text!r}: expected a whole number from 1")
    return int(text)
