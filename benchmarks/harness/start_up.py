"""How long a start takes: from the command to the line that says it is ready, and to the first answer."""

import http.client
import re
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness import machine, process_tree
from harness.server import ServerFailed

READY_SECONDS = 60
STOP_SECONDS = 15
# An address to ask, or the word of an interpreter that only starts.
READY = re.compile(r"http://[^/:]+:(\d+)/|^ready$")


@dataclass(frozen=True)
class Starter:
    key: str
    title: str
    versions: str
    command: list[str]
    environment: dict[str, str]


@dataclass(frozen=True)
class Start:
    """One start of one of them in one round."""

    starter: str
    round: int
    ready_seconds: float
    answered_seconds: float | None
    """None for an interpreter alone, which answers nothing."""
    cpu_seconds: float
    """Of the whole process tree until then, in ticks of a hundredth of a second."""
    others_busy: float
    """The share of all cores that went to neither it nor the harness."""


def measure(starters: Sequence[Starter], rounds: int, tell: Callable[[str], None]) -> list[Start]:
    """Every round starts each once, every other backwards; what the first one finds in no cache of the system is not counted."""
    starts = []
    for number in range(rounds + 1):
        for starter in starters if number % 2 else reversed(starters):
            start = measure_one(starter, number)
            if number > 0:
                starts.append(start)
                tell(_line(start))
    return starts


def measure_one(starter: Starter, number: int) -> Start:
    all_before, own_before = machine.cpu_seconds(), time.process_time()
    began = time.perf_counter()
    # In a session of its own, so that Ctrl-C reaches the harness alone, which then stops it in order.
    with subprocess.Popen(
        starter.command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=starter.environment,
        start_new_session=True,
        text=True,
    ) as process:
        try:
            port = _await_ready(starter, process)
            ready = time.perf_counter()
            answered = _ask(starter, port) if port else None
            took = (answered or ready) - began
            cpu = process_tree.cpu_seconds(process.pid)
            others = machine.cpu_seconds() - all_before - cpu - (time.process_time() - own_before)
            return Start(
                starter=starter.key,
                round=number,
                ready_seconds=ready - began,
                answered_seconds=answered - began if answered else None,
                cpu_seconds=cpu,
                others_busy=max(0.0, others) / took / machine.cores(),
            )
        finally:
            _stop(process)


def _await_ready(starter: Starter, process: "subprocess.Popen[str]") -> int | None:
    assert process.stdout
    for line in process.stdout:
        found = READY.search(line)
        if found:
            return int(found[1]) if found[1] else None
    raise ServerFailed(f"{starter.key} ended before it was ready: {' '.join(starter.command)}")


def _ask(starter: Starter, port: int) -> float:
    """Returns when the whole answer was there."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=READY_SECONDS)
    try:
        connection.request("GET", "/")
        response = connection.getresponse()
        body = response.read()
        answered = time.perf_counter()
    finally:
        connection.close()
    if (response.status, body) != (200, b"hello\n"):
        raise ServerFailed(f"{starter.key} answered {response.status} with {len(body)} bytes of body")
    return answered


def _stop(process: "subprocess.Popen[str]") -> None:
    assert process.stdin
    process.stdin.close()
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


def _line(start: Start) -> str:
    answered = "" if start.answered_seconds is None else f"  {start.answered_seconds * 1000:>5.0f} ms first answer"
    busy = f"  ({start.others_busy:.0%} of the machine went to others)" if start.others_busy > 0.1 else ""
    return f"round {start.round:<2}  {start.starter:<18}  {start.ready_seconds * 1000:>5.0f} ms ready{answered}{busy}"
