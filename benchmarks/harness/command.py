"""How a command that measures begins, ends and says what went wrong."""

import argparse
import os
import signal
import sys
from collections.abc import Callable

from load.descriptors import TooFew

from harness.load import LoadFailed
from harness.options import tell
from harness.quiet import NotQuiet
from harness.server import ServerFailed
from harness.workspace import Unavailable


def exit_code(run: Callable[[argparse.Namespace], None], options: argparse.Namespace) -> int:
    """Runs a command that starts servers, so that they are stopped however it is told to end."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        run(options)
    except (LoadFailed, ServerFailed, Unavailable, TooFew) as problem:
        tell(f"failed: {problem}")
        return 1
    except NotQuiet as problem:
        tell(f"nothing is written, because the machine is not quiet: {problem}; --write-anyway writes it with a mark")
        return os.EX_TEMPFAIL
    except KeyboardInterrupt:
        return 130
    return 0
