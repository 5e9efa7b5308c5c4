#!/usr/bin/env python3
"""Counts the instructions that the Python SDK takes for a request, by valgrind. They are the same on a busy machine."""

import argparse
import os
import re
import sys
from collections.abc import Sequence

from harness.command import exit_code
from harness.options import tell
from harness.shapes import SHAPES
from harness.workspace import PEER_SOURCES, ROOT, Unavailable, Workspace, find, output_of

KINDS = ("asgi", "wsgi", "plain")
AT_ONCE = 32
"""Requests that a worker reads together."""
FEW, MANY = 10, 42
"""Batches of two runs. What the longer one takes more is theirs, and not the start's."""


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", help="the interpreter (default: the one of the benchmarks, with orjson and uvloop)")
    parser.add_argument("--sdk", default=str(ROOT / "sdk-python" / "src"), help="the folder of another handoff_worker")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    workspace = Workspace()
    python = options.python or workspace.python()
    accelerator = workspace.accelerator()
    for kind in KINDS:
        for shape in ("hello", "browser"):
            line = f"{kind:6} {shape:8} {per_request(python, options.sdk, kind, shape):8,} instructions per request"
            if accelerator is not None:
                faster = per_request(python, f"{options.sdk}{os.pathsep}{accelerator}", kind, shape)
                line += f", {faster:8,} with the accelerator"
            tell(line)


def per_request(python: str, path: str, kind: str, shape: str) -> int:
    few, many = (counted(python, path, kind, shape, batches) for batches in (FEW, MANY))
    return (many - few) // ((MANY - FEW) * AT_ONCE)


def counted(python: str, path: str, kind: str, shape: str, batches: int) -> int:
    """All instructions of one process."""
    command = [find("valgrind"), "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-fd=1", python]
    command += [str(PEER_SOURCES / "in_process.py"), kind, str(batches), str(AT_ONCE)]
    for name, value in SHAPES[shape].headers:
        if name != "Connection":  # which the core keeps to itself
            command += [name.lower(), value]
    settings = {"PYTHONPATH": path, "PYTHONHASHSEED": "0"}
    return collected(output_of("env", *(f"{name}={value}" for name, value in settings.items()), *command))


def collected(said: str) -> int:
    """The number in what callgrind says at its end."""
    found = re.search(r"Collected : (\d+)", said)
    if found is None:
        raise Unavailable(f"valgrind counted nothing: {said[-200:]}")
    return int(found[1])


if __name__ == "__main__":
    sys.exit(exit_code(run, parse(sys.argv[1:])))
