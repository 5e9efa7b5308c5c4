"""Compares, over generated requests, where Handoff and other servers see each message end: see ../README.md."""

import argparse
import secrets
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from differential import report
from differential.processes import ServerFailed
from differential.run import Plan, run
from differential.servers import PEERS, Unavailable
from differential.traces import BadAnswer


def main(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    # So that the servers are stopped however we are told to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    seed = secrets.randbelow(10**9) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    try:
        result = run(Plan(options.cases, seed, options.peers, options.case), tell)
    except (BadAnswer, ServerFailed, Unavailable) as problem:
        tell(f"failed: {problem}")
        return 1
    except KeyboardInterrupt:
        return 130
    if options.case is not None:
        print(report.case(result))
    else:
        print(report.unexplained(result) + report.kinds(result))
    if options.report:
        report.write(result, options.report)
        tell(f"written: {options.report}")
    return 1 if result.unexplained else 0


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="differential", description=__doc__)
    parser.add_argument("--cases", type=int, default=5000, help="how many, the fixtures included (default: 5000)")
    parser.add_argument("--seed", type=int, help="of the mutations (default: a random one, which is printed)")
    parser.add_argument(
        "--peers", type=peers, default=list(PEERS), help=f"of {','.join(PEERS)} (default: all there are)"
    )
    parser.add_argument(
        "--case", type=int, metavar="N", help="run this one alone, and show what each server made of it"
    )
    parser.add_argument(
        "--report",
        type=Path,
        metavar="FILE",
        help="write the tables of the run there, between the marks if it has them",
    )
    return parser.parse_args(arguments)


def peers(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in PEERS:
            raise argparse.ArgumentTypeError(f"there is no {name!r}")
    return names


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
