"""Whether the machine was quiet: figures measured beside other programs are worth nothing, and must not replace those that were not."""

import time
from collections.abc import Sequence

from harness import machine

DISTURBED = 0.05
"""A load is disturbed when other programs, and a host that gives the cores to others, took more of all cores than this."""
TOLERATED = 0.1
"""Of all loads; an hourly job of the system must not spoil a run, whose figures are medians."""
LOOK_SECONDS = 3.0


class NotQuiet(Exception):
    """Says what the other programs took."""


def complaint(shares: Sequence[float]) -> str:
    """Why loads during which others had these shares of all cores prove nothing, or an empty text."""
    disturbed = [share for share in shares if share > DISTURBED]
    if len(disturbed) <= TOLERATED * len(shares):
        return ""
    return (
        f"other programs took more than {DISTURBED:.0%} of the machine in {len(disturbed)} of {len(shares)} loads, "
        f"up to {max(shares):.0%}; tolerated are {TOLERATED:.0%} of the loads"
    )


def look(seconds: float = LOOK_SECONDS) -> str:
    """The complaint about a machine on which nothing of ours runs, or an empty text."""
    before = machine.cpu_seconds()
    clock = time.monotonic()
    time.sleep(seconds)
    share = (machine.cpu_seconds() - before) / (time.monotonic() - clock) / machine.cores()
    if share <= DISTURBED:
        return ""
    return f"other programs take {share:.0%} of the machine before any load; tolerated are {DISTURBED:.0%}"
