from harness.peers import Peer
from harness.stream_report import HEADING, section, tables
from harness.streams import Large, Memory, Open, StreamPlan
from load.listeners import Figures
from load.paced_client import Figures as Paced

PEER = Peer("a", "A", "A 1.0", lambda port: [], {})
PLAN = StreamPlan([PEER], 5000, 1, 10, 1 << 30, 200, 8)
SMALL = Paced(2000, 0, 500, 600, 2500, 3000, 4000, 10, 1)
EVENTS = Figures(10, 4999, 1, 49_990, 1500, 20_500, 30_000, 2)


def test_reports_what_a_stream_costs() -> None:
    opened = [Open("a", slow, EVENTS, 5000, Memory(5_120_000, 51_200_000), 0.5, SMALL, SMALL) for slow in (False, True)]
    text = tables(PLAN, opened, [])
    assert "| A | 5,000 | 1 | 4,999 | 1.5, 20.5, 30.0 | 50% | 1.0 + 10.0 | 0.50, 2.50 | 0.50, 2.50 |" in text
    assert "| A | 5,000 | 1 | 50% | 1.0 + 10.0 | 0.50, 2.50 | 0.50, 2.50 |" in text
    assert "MiB above" not in text


def test_reports_what_a_large_body_costs() -> None:
    large = [Large("a", upward, 2, 1.25, Memory(3 << 20, 4 << 20), SMALL) for upward in (False, True)]
    text = tables(PLAN, [], large)
    assert "## 1,024 MiB" in text
    assert "| A | up | 537 | 1.25 | 3 + 4 | 0.50, 2.50 |" in text
    whole = section(PLAN, text, [("commit", "abc")])
    assert whole.startswith(f"{HEADING}\n") and "| A | A 1.0 |" in whole
