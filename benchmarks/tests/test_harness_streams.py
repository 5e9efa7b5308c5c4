from harness.peers import Peer
from harness.stream_report import HEADING, section, tables
from harness.streams import Few, Large, Memory, Moved, Open, StreamPlan
from load.listeners import Figures
from load.paced_client import Figures as Paced

PEER = Peer("a", "A", "A 1.0", lambda port: [], {})
PLAN = StreamPlan([PEER], 5000, 1, 10, 1 << 30, 200, 8)
SMALL = Paced(2000, 0, 500, 600, 2500, 3000, 4000, 10, 1)
EVENTS = Figures(10, 4999, 1, 2100, 3200, 49_990, 1500, 20_500, 30_000, 2)


def test_reports_how_long_an_event_takes() -> None:
    text = tables(PLAN, [Few("a", 100, EVENTS, 0.25)], [], [])
    assert "## Few streams, 20 events a second each" in text
    assert "| A | 100 | 1.50, 20.50, 30.00 | 2.1, 3.2 | 25% |" in text
    assert "Open streams" not in text


def test_reports_what_a_stream_costs() -> None:
    opened = [Open("a", slow, EVENTS, 5000, Memory(5_120_000, 51_200_000), 0.5, SMALL, SMALL) for slow in (False, True)]
    text = tables(PLAN, [], opened, [])
    assert "| A | 5,000 | 1 | 4,999 | 1.5, 20.5, 30.0 | 2.1, 3.2 | 50% | 1.0 + 10.0 | 0.50, 2.50 | 0.50, 2.50 |" in text
    assert "| A | 5,000 | 1 | 50% | 1.0 + 10.0 | 0.50, 2.50 | 0.50, 2.50 |" in text
    assert "MiB above" not in text


def test_reports_what_a_large_body_costs() -> None:
    first, later = Moved(2, 1.25), Moved(1, 0.5)
    large = [Large("a", upward, first, later, Memory(3 << 20, 4 << 20), SMALL) for upward in (False, True)]
    text = tables(PLAN, [], [], large)
    assert "## 1,024 MiB" in text
    assert "| A | up | 537 | 1.25 | 1,074 | 0.50 | 3 + 4 | 0.50, 2.50 |" in text
    whole = section(PLAN, text, [("commit", "abc")])
    assert whole.startswith(f"{HEADING}\n") and "| A | A 1.0 |" in whole
