import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from harness import process_tree
from harness.fixed_rates import peak
from harness.goals import Goal, Ratio
from harness.intervals import Interval
from harness.peers import Peer
from harness.rounds import Measurements, Sample
from harness.server import Server
from harness.steady import Patience, reason_to_end

PATIENCE = Patience(starts=5, minutes=10, half_width=0.03)
NARROW = Ratio(Goal("one", "two", cpu=1.0), Interval(1, 1, 1), Interval(1, 0.98, 1.03))
WIDE = Ratio(Goal("one", "two", cpu=1.0), Interval(1, 1, 1), Interval(1, 0.97, 1.05))


def test_few_starts_are_never_enough() -> None:
    assert reason_to_end([NARROW], 4, 3600, PATIENCE) == ""


def test_a_quick_look_does_not_pass_for_certainty() -> None:
    quick = replace(PATIENCE, starts=1)
    assert reason_to_end([NARROW], 1, 60, quick) == "1 starts, 1 minutes: too few starts for intervals that hold"


def test_ends_when_all_intervals_are_narrow() -> None:
    assert reason_to_end([NARROW, NARROW], 5, 60, PATIENCE) == "5 starts, 1 minutes; all intervals are within ± 3%"


def test_goes_on_while_one_is_wide() -> None:
    assert reason_to_end([NARROW, WIDE], 5, 60, PATIENCE) == ""


def test_ends_when_another_start_would_take_too_long() -> None:
    # Each took a minute and a half.
    assert reason_to_end([NARROW, WIDE], 5, 450, PATIENCE) == ""
    assert reason_to_end([NARROW, WIDE], 6, 540, PATIENCE) == (
        "6 starts, 9 minutes, which is all it may take; 1 of 2 intervals are wider than ± 3%"
    )


def test_servers_that_nothing_is_promised_of_get_the_least_starts() -> None:
    assert reason_to_end([], 5, 60, PATIENCE) != ""


def test_the_peak_is_that_of_the_start() -> None:
    def sample(start: int, number: int, speed: float) -> Sample:
        return Sample("one", "hello", start, number, speed, 0, 0, 0, 0, 0, 0)

    samples = [sample(1, 1, 900), sample(2, 2, 100), sample(2, 3, 400), sample(2, 4, 200)]
    assert peak(Measurements(samples, {}), "one", start=2) == 200


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """Two processes, which is all that a server needs to be frozen."""
    script = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'input()'])"
    peer = Peer("two", "two processes", "", lambda port: [], {})
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE) as process:
        yield Server(peer, 0, process, tmp_path / "log")
        process.communicate(b"\n")


def states(server: Server) -> str:
    texts = [Path(f"/proc/{process}/stat").read_text() for process in process_tree.tree(server.process.pid)]
    return "".join(text.rpartition(") ")[2][0] for text in texts)


def await_that(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_frozen_server_is_stopped_with_its_children_and_goes_on(server: Server) -> None:
    await_that(lambda: len(states(server)) == 2)
    server.freeze()
    await_that(lambda: states(server) == "TT")
    with server.thawed():
        await_that(lambda: "T" not in states(server))
    await_that(lambda: states(server) == "TT")
    server.thaw()
    await_that(lambda: "T" not in states(server))
