"""What is required of every target: its own properties, and that no input makes more than linear work."""

import logging
from importlib import import_module
from pathlib import Path
from types import ModuleType
from zlib import crc32

from work import work_of

FOLDER = Path(__file__).parent
CORPUS = FOLDER / "corpus"
TARGETS = {f"python-{folder.name}": folder.name for folder in sorted(CORPUS.iterdir())}
"""The modules by the name that `make fuzz` knows them by, which has no twin among the other languages' targets."""

REPEATED_BYTES = 3_000
"""So long that what is quadratic is most of the work."""
MOST_WORK_FOR_A_BYTE = 1_500
"""What is below needs no comparison: so much takes a short parameter or header, of which some twenty lines are executed."""
MOST_GROWTH = 2.6
"""When the input doubles; a small part of the work is the same for every input, and the quadratic is four times as much."""


def target(name: str) -> ModuleType:
    # What fails in an application is logged, with a traceback; here that is most inputs.
    logging.getLogger("handoff").setLevel(logging.CRITICAL + 1)
    return import_module(f"fuzz.{TARGETS[name]}")


def require_holds(module: ModuleType, data: bytes) -> None:
    module.holds(data)


def require_linear(module: ModuleType, data: bytes) -> None:
    """A part of the input, which the input itself chooses, is repeated: what is not linear shows where it is long."""
    if not data:
        return
    begin, end = sorted((crc32(data) % len(data), crc32(data, 1) % len(data)))
    end += 1
    times = max(1, REPEATED_BYTES // (end - begin))
    short, long = (data[:begin] + data[begin:end] * count + data[end:] for count in (times, 2 * times))
    module.read(long)  # what is imported and bounded_cache at first does not count
    work = work_of(lambda: module.read(long))
    if work > MOST_WORK_FOR_A_BYTE * len(long):
        growth = work / work_of(lambda: module.read(short))
        assert growth < MOST_GROWTH, (
            f"{growth:.1f} times the work for twice bytes {begin} to {end}, {data[begin:end]!r}"
        )
