"""How much work a call makes, counted instead of timed, so that it is the same on every machine."""

import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType
from typing import Any

LINE = 100
"""What a line that is executed counts, in bytes allocated: about what the interpreter moves for one."""


def work_of(call: Callable[[], object]) -> int:
    """
    The lines that Python executes, the standard library's too, and the bytes that are allocated on the way.

    So a loop counts, and so does what C copies: a text that grows by `+=` is allocated anew each time. What C does in place is
    not seen, which of all that is called here only regular expressions could make more than linear: test_patterns.py has them.
    """
    total = 0

    def count(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal total, before
        now, peak = tracemalloc.get_traced_memory()
        total += LINE + max(0, peak - before)
        tracemalloc.reset_peak()
        before = now
        return count

    outer = sys.gettrace()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    sys.settrace(count)
    try:
        call()
    finally:
        sys.settrace(outer)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return total + max(0, peak - before)
