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


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
