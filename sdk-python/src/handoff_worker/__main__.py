"""
`python -m handoff_worker main:app`: serves an ASGI application, a WSGI application or a plain function as a worker of Handoff.

`handoff run main:app` starts it so.
"""

import argparse
import sys
from collections.abc import Sequence

from handoff_worker.engine.blocking_worker import FAILED
from handoff_worker.gateway.gathering_budget import MOST_BYTES, Gathering
from handoff_worker.start import serve
from handoff_worker.start.kinds import KINDS, application_of, kind_of
from handoff_worker.start.load import FACTORIES, NAMES, LoadFailed, load
from handoff_worker.version import __version__

MOST_DIGITS = 15
_UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

WSGI_THREADS = 8
"""WSGI applications are made to be called by several threads (PEP 3333, `wsgi.multithread`); of a plain function nobody knows."""


def main(arguments: Sequence[str]) -> int:
    options = _parse(arguments)
    try:
        loaded = load(options.application, options.factory)
        kind = kind_of(loaded, options.application) if options.interface == "auto" else options.interface
        threads = options.threads or (WSGI_THREADS if kind == "wsgi" else 1)
        application = application_of(loaded, options.application, kind, threads, Gathering(options.max_gathered))
    except LoadFailed as problem:
        print(f"handoff: {problem}", file=sys.stderr)
        return FAILED
    serve.run(application, window=options.window, threads=threads)
    return 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m handoff_worker", description=__doc__.strip().partition("\n")[0])
    parser.add_argument(
        "application",
        help=f"MODULE:NAME, FILE.py:NAME, or without the name, which is then {', '.join(NAMES)} (with --factory {', '.join(FACTORIES)})",
    )
    parser.add_argument(
        "--factory", action="store_true", help="call it without arguments; what it returns is the application"
    )
    parser.add_argument(
        "--interface",
        choices=("auto", *KINDS),
        default="auto",
        help="what it is, where that cannot be told (default: auto)",
    )
    parser.add_argument(
        "--threads",
        type=_positive,
        metavar="N",
        help=f"requests that are handled at once where nothing is async (default: {WSGI_THREADS} for WSGI, 1 for a plain function)",
    )
    parser.add_argument("--window", type=_positive, metavar="N", help="requests that the core hands over at once")
    parser.add_argument(
        "--max-gathered",
        type=_size,
        metavar="SIZE",
        help="what answers in parts may take together until they are whole, such as 64MiB "
        f"(default: {MOST_BYTES // 1024**2}MiB, or --max-response where that is more)",
    )
    parser.add_argument("--version", action="version", version=f"handoff-worker {__version__}")
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def _size(text: str) -> int:
    """As the core's sizes are written."""
    unit = text[-3:] if text[-3:] in _UNITS else ""
    number = text.removesuffix(unit)
    if not (number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS) or int(number) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 65536, 512KiB or 64MiB")
    return int(number) * _UNITS[unit]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
