"""What the workers of the tests can be asked for."""

import os
import signal


def deed(path: str) -> str:
    """Does what the path says, and returns the answer."""
    if path == "/token":
        return os.environ.get("HANDOFF_TOKEN", "none")
    if path == "/fork":
        child = os.fork()
        if child == 0:
            signal.pause()
            os._exit(0)
        return str(child)
    if path == "/print":
        print("printed")
    return path
