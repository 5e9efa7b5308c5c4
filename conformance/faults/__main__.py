"""Lets a server of two pools live through faults while clients check every byte. Exits with 1 if a claim did not hold."""

import argparse
import secrets
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from faults.run import Plan, run


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="faults", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="with clients, about (default: 60)")
    parser.add_argument("--seed", type=int, help="of clients and faults (default: a random one, which is printed)")
    parser.add_argument("--broken", choices=("short", "foreign"), default="", help="what the Python pool does wrong")
    options = parser.parse_args(arguments)
    # So that the server is stopped however we are told to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    seed = secrets.randbelow(10**9) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="handoff-faults-") as folder:
        violations = run(Plan(options.seconds, seed, options.broken), Path(folder), tell)
        if violations:
            log = Path("../target/faults.log")
            log.write_text("".join(part.read_text(errors="replace") for part in sorted(Path(folder).glob("*/log"))))
            tell(f"{len(violations)} claims do not hold; the servers' logs are in {log.resolve()}")
    return 1 if violations else 0


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
