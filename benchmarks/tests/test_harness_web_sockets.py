from harness.peers import Peer
from harness.streams import Memory
from harness.web_sockets import HEADING, Echo, Idle, WebSocketPlan, section, tables
from load.echoers import Figures
from load.paced_client import Figures as Paced

PEER = Peer("a", "A", "A 1.0", lambda port: [], {})
PLAN = WebSocketPlan([PEER], 10_000, 10)
SMALL = Paced(2000, 0, 500, 600, 2500, 3000, 4000, 10, 1)


def test_reports_what_an_echo_costs() -> None:
    text = tables(PLAN, [Echo("a", 1000, Figures(10, 200_000, 4500, 9000, 20_000), 8)], [])
    assert "| A | 1,000 | 20,000 | 4.50, 9.00 | 40.0 |" in text
    assert "Idle" not in text


def test_reports_what_an_idle_web_socket_costs() -> None:
    text = tables(PLAN, [], [Idle("a", 10_000, Memory(10_240_000, 20_480_000), 0.02, SMALL, SMALL)])
    assert "| A | 10,000 | 1.0 + 2.0 | 2% | 0.50, 2.50 | 0.50, 2.50 |" in text
    whole = section(PLAN, text, [("commit", "abc")])
    assert whole.startswith(f"{HEADING}\n") and "| A | A 1.0 |" in whole
