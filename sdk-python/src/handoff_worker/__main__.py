"""
Serves an ASGI application, a WSGI application or a plain function as a worker of Handoff: `python -m handoff_worker main:app`.

`handoff run main:app` starts this command.
"""

import argparse
import sys
from collections.abc import Sequence

from handoff_worker.engine.exit_codes import FAILED
from handoff_worker.gateway.gathering_budget import MOST_BYTES, GatheringBudget
from handoff_worker.start.kinds import KINDS, application_of, kind_of
from handoff_worker.start.load import FACTORIES, NAMES, LoadFailed, load
from handoff_worker.start.serve import run
from handoff_worker.version import __version__

MOST_DIGITS = 15
_UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

WSGI_THREADS = 8
"""WSGI applications expect calls by several threads (PEP 3333, `wsgi.multithread`). A plain function may not, so it gets one."""


def main(arguments: Sequence[str]) -> int:
    """Serves until the worker is told to stop. Returns the exit code, or raises `SystemExit` with it."""
    options = _parse(arguments)
    try:
        loaded = load(options.application, options.factory)
        kind = kind_of(loaded, options.application) if options.interface == "auto" else options.interface
        threads = options.threads or (WSGI_THREADS if kind == "wsgi" else 1)
        application = application_of(loaded, options.application, kind, threads, GatheringBudget(options.max_gathered))
    except LoadFailed as problem:
        print(f"handoff: {problem}", file=sys.stderr)
        return FAILED
    run(application, concurrency=options.concurrency, threads=threads)
    return 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m handoff_worker", description=__doc__.strip().partition("\n")[0])
    parser.add_argument(
        "application",
        help=f"MODULE:NAME, FILE.py:NAME, or without the name, which is then {', '.join(NAMES)} (with --factory {', '.join(FACTORIES)})",
    )
    parser.add_argument("--factory", action="store_true", help="call it without arguments: it returns the application")
    parser.add_argument(
        "--interface",
        choices=("auto", *KINDS),
        default="auto",
        help="what kind of application it is (default: auto)",
    )
    parser.add_argument(
        "--threads",
        type=_positive,
        metavar="N",
        help=f"requests that are handled at once by code without async (default: {WSGI_THREADS} for WSGI, 1 for a plain function)",
    )
    parser.add_argument("--concurrency", type=_positive, metavar="N", help="requests that the core hands over at once")
    parser.add_argument(
        "--max-gathered",
        type=_size,
        metavar="SIZE",
        help="memory that responses in parts may take together until they are whole, for a core that takes no pieces, such as "
        f"64MiB (default: {MOST_BYTES // 1024**2}MiB, or --max-response where that is more)",
    )
    parser.add_argument("--version", action="version", version=f"handoff-worker {__version__}")
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def _size(text: str) -> int:
    """A size in bytes, written as for the core."""
    unit = text[-3:] if text[-3:] in _UNITS else ""
    number = text.removesuffix(unit)
    if not (number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS) or int(number) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 65536, 512KiB or 64MiB")
    return int(number) * _UNITS[unit]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
