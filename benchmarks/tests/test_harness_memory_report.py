from harness import report
from harness.long_requests import Long
from harness.memory import Each, Whole
from harness.memory_report import MIB, each, long, whole
from harness.peers import Peer
from harness.streams import Memory
from load.paced_client import Figures

PEER = Peer("a", "A", "A 1.0", lambda port: [], {})


def memory(core: int, worker: int) -> Memory:
    return Memory(core * MIB, worker * MIB)


def figures(p99: float, errors: int = 0) -> Figures:
    return Figures(9000, errors, 1_001_000, 1_010_000, p99, 1_070_000, 1_080_000, 10, 1)


def test_reports_what_one_more_costs() -> None:
    found = [Each("idle", heap, core, 0, 1) for heap, core in ((700, -50), (710, 4000), (705, 1234.4))]
    text = each(found)
    assert "| idle connection | 705 (700 to 710) | 1,234 (-50 to 4,000) | 0 | 1.00 |" in text
    assert "WebSocket" not in text


def test_compares_memory_with_its_goal_where_connections_are_open() -> None:
    idle, again = memory(90, 9), memory(100, 20)
    text = whole([PEER], [Whole("a", memory(70, 20), idle, memory(120, 20), again)])
    assert "| A | start | 70 | 20 | 90 |  |  |" in text
    assert "| A | 1,000 idle connections | 90 | 9 | 99 | yes | yes |" in text
    assert "| A | 20,000 requests over 64 connections later | 120 | 20 | 140 |  |  |" in text
    assert "| A | then 1,000 idle connections again | 100 | 20 | 120 | yes | **no** |" in text


def test_compares_long_requests_with_their_goal() -> None:
    found = [Long("a", "at once", figures(1_050_400), 0), Long("a", "within a second", figures(1_050_000), 0)]
    text = long([PEER], found, 9000)
    assert text.startswith("## 9,000 connections, each with a request that takes 1 s\n")
    assert "| A | at once | 1,001 | 1,050 | 1,080 | 0 | **no** |" in text
    assert "| A | within a second | 1,001 | 1,050 | 1,080 | 0 | yes |" in text


def test_a_failure_misses_the_goal() -> None:
    found = [Long("a", "at once", figures(1_010_000, errors), 0) for errors in (0, 0, 1)]
    assert "| 0 (0 to 1) | **no** |" in long([PEER], found, 9000)


def test_figures_that_are_not_steady_say_so_in_front() -> None:
    assert report.marked("table", "", "") == "table"
    assert (
        report.marked("table", "", "others took half") == "**These figures are not steady: others took half.**\n\ntable"
    )
