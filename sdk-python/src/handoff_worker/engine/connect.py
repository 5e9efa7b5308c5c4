"""Connects to the worker socket of a core."""

import os
import socket


def connect(path: str) -> socket.socket:
    """A blocking socket, connected to the core. Raises `OSError` with the path in it, and advice where permission is missing."""
    core = socket.socket(socket.AF_UNIX)
    try:
        core.connect(path)
    except OSError as problem:
        core.close()
        advice = f"; {_advice(path)}" if isinstance(problem, PermissionError) else ""
        raise OSError(f"cannot connect to {path}: {problem.strerror or problem}{advice}") from problem
    return core


def _advice(path: str) -> str:
    """Why this process may not use the socket, and what to do."""
    me = f"this worker runs as user {os.geteuid()} with group {os.getegid()}"
    try:
        owner = os.stat(path)
    except OSError:
        return f"{me}, which may not enter the folder of the socket: run it as the user of the core"
    them = f"{owner.st_uid}:{owner.st_gid}"
    return f'{me}, the socket is of {them}: run the worker as that user, or with that group as its own (in Compose: user: "{them}")'
