"""Loads a server with wrk."""

import json
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from harness.shapes import Shape

VISITORS = Path(__file__).parent.parent / "load" / "visitors.py"
SCRIPT = Path(__file__).parent.parent / "load" / "load.lua"
TIMEOUT = "10s"
"""What takes longer is an error; threads that fight for Python's lock make some requests wait for seconds."""
ERRORS = ("connect", "read", "write", "timeout", "status")


class LoadFailed(Exception):
    """Not every request was answered as it should be, so that the figures would mean nothing."""


@dataclass(frozen=True)
class Load:
    """What the client saw."""

    requests: int
    seconds: float
    p50_micros: int
    p99_micros: int
    client_cpu_seconds: float


def run_wrk(port: int, shape: Shape, connections: int, seconds: int, path: str = "/", scheme: str = "http") -> Load:
    headers = [argument for name, value in shape.headers for argument in ("-H", f"{name}: {value}")]
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", TIMEOUT, "-s", str(SCRIPT), *headers]
    command += [f"{scheme}://127.0.0.1:{port}{path}", "--", str(shape.pipelined)]
    cpu_before = _cpu_seconds_of_children()
    finished = subprocess.run(command, check=False, capture_output=True, text=True)
    if finished.returncode != 0:
        raise LoadFailed(f"wrk ended with {finished.returncode}: {finished.stderr.strip() or finished.stdout.strip()}")
    return parse(finished.stdout, _cpu_seconds_of_children() - cpu_before)


def run_visitors(port: int, visits: int, resumed: bool) -> Load:
    """So many clients that shake hands by TLS, ask once and leave."""
    command = [sys.executable, str(VISITORS), str(port), str(visits), *(["resumed"] if resumed else [])]
    cpu_before = _cpu_seconds_of_children()
    finished = subprocess.run(command, check=False, capture_output=True, text=True)
    if finished.returncode != 0:
        raise LoadFailed(f"the visitors ended with {finished.returncode}: {finished.stderr.strip()}")
    return parse(finished.stdout, _cpu_seconds_of_children() - cpu_before)


def parse(output: str, client_cpu_seconds: float) -> Load:
    """Reads the line that the script printed last."""
    figures: dict[str, int] = json.loads(output.strip().splitlines()[-1])
    errors = [f"{figures[kind]} {kind}" for kind in ERRORS if figures[kind]]
    if errors:
        raise LoadFailed(f"{', '.join(errors)} errors in {figures['requests']} requests")
    if figures["requests"] == 0:
        raise LoadFailed("no request was answered")
    seconds = figures["micros"] / 1e6
    return Load(figures["requests"], seconds, figures["p50"], figures["p99"], client_cpu_seconds)


def _cpu_seconds_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
