"""What the command lines have in common."""

import argparse
import sys
from collections.abc import Callable, Container


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def names_of(known: Container[str]) -> Callable[[str], list[str]]:
    """Reads names with commas between them."""

    def read(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"there is no {name!r}")
        return names

    return read


def add_plan(parser: argparse.ArgumentParser, rounds: int, seconds: int, warm_up: int, each: str = "run") -> None:
    """How often and for how long servers are measured side by side; the numbers are the defaults."""

    def add(flag: str, default: int, text: str, name: str | None = None) -> None:
        parser.add_argument(flag, type=positive, default=default, metavar=name, help=f"{text} (default: {default})")

    add("--rounds", rounds, f"times that every server is measured in each {each}")
    add("--seconds", seconds, "of load for each figure")
    add("--warm-up", warm_up, "of each shape after a start", "SECONDS")
    add("--connections", 64, "of the one client")


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
