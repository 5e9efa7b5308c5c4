import pytest
from harness.live_heap import Objects
from harness.load import LoadFailed
from harness.long_requests import require
from harness.memory import Each, Level, slope
from harness.memory_peers import default_flags
from harness.streams import Memory
from harness.workspace import ROOT
from load.paced_client import Figures


def test_what_is_fixed_drops_out_of_a_slope() -> None:
    less = Level({"Connection": Objects(1000, 5_000_000)}, Memory(80_000_000, 20_000_000), 1100)
    more = Level({"Connection": Objects(2000, 5_700_000)}, Memory(79_000_000, 21_500_000), 2100)
    assert slope("idle", less, more, 1000) == Each("idle", 700.0, -1000.0, 1500.0, 1.0)


def test_finds_the_flags_of_the_start_script() -> None:
    assert default_flags('set -- -XX:+X ${HANDOFF_JAVA_OPTS--Xms32m -XX:-Y} "$@"') == "-Xms32m -XX:-Y"
    assert "-XX:+UseParallelGC" in default_flags((ROOT / "handoff").read_text())
    with pytest.raises(ValueError, match="no flags"):
        default_flags("exec java")


def figures(answers: int, errors: int) -> Figures:
    return Figures(answers, errors, 1, 2, 3, 4, 5, 6, 7)


@pytest.mark.parametrize("seen", [figures(9000, 0), figures(8990, 10), figures(9000, 10)])
def test_each_connection_has_an_answer_or_a_failure(seen: Figures) -> None:
    require("a", 9000, 9000, seen)


def test_another_number_of_connections_fails() -> None:
    with pytest.raises(LoadFailed, match="8,999 connections were open at once, not 9,000"):
        require("a", 9000, 8999, figures(9000, 0))


def test_a_request_without_an_answer_or_a_failure_fails() -> None:
    with pytest.raises(LoadFailed, match="8,990 answers and 9 failures of 9,000 requests"):
        require("a", 9000, 9000, figures(8990, 9))
