from pathlib import Path

import pytest
from harness import tuning_report
from harness.capacity import Burst, Held, Ports
from harness.peers import Peer
from harness.rounds import Measurements, Sample
from harness.shapes import SHAPES
from harness.tuning_topics import CLOSED, Topic

HELLO = SHAPES["hello"]


def peer(key: str) -> Peer:
    return Peer(key, f"`{key}`", "", lambda port: [], {})


def sample(key: str, shape: str, number: int, speed: float) -> Sample:
    return Sample(key, shape, number, number, speed, 10.0, 1_000, 2_000, 2**20, 0.5, 0.0)


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_compares_each_setting_with_the_first_of_its_topic_within_a_round() -> None:
    speeds = {"one": [100.0, 400.0, 100.0], "two": [200.0, 400.0, 300.0]}
    samples = [sample(key, "hello", number, speed) for key, all in speeds.items() for number, speed in enumerate(all)]
    topic = Topic("loops", [peer("one"), peer("two")])

    rows = cells(tuning_report.settings([(topic, Measurements(samples, {}))]))

    assert [row[:4] for row in rows] == [["loops", "`one`", "100", "1.00"], ["", "`two`", "300", "2.00"]]


def test_compares_the_loads_of_one_server() -> None:
    samples = [sample("one", "hello", 1, 200.0), sample("one", "closed", 1, 50.0)]

    rows = cells(
        tuning_report.settings([(Topic("connections", [peer("one")], (HELLO, CLOSED)), Measurements(samples, {}))])
    )

    assert [row[1:4] for row in rows] == [[HELLO.title, "200", "1.00"], [CLOSED.title, "50", "0.25"]]


def test_tells_what_connections_cost() -> None:
    found = tuning_report.capacity(Held(100, 101, 51_200), Burst(10, 4, 5, 1, 9, 1.25), [Ports("kept", 7, 3)])

    assert "100 need 101 descriptors and 512 bytes each" in found
    assert "of 10, 5 wait in the backlog (`net.core.somaxconn` 4), 1 are refused; 9 are accepted within 1.2 s" in found
    assert "7 requests left 3 in TIME_WAIT" in found


def test_quotes_between_the_marks_and_nowhere_else(tmp_path: Path) -> None:
    document = tmp_path / "DEPLOYING.md"
    document.write_text(f"before\n\n{tuning_report.MARK}\n\nold\n\n{tuning_report.END}\n\nafter\n")

    for _ in range(2):
        tuning_report.quote(document, ["| new |", "| newer |"])

    assert document.read_text() == (
        f"before\n\n{tuning_report.MARK}\n\n| new |\n\n| newer |\n\n{tuning_report.END}\n\nafter\n"
    )


def test_does_not_write_where_there_is_no_place(tmp_path: Path) -> None:
    document = tmp_path / "DEPLOYING.md"
    document.write_text("before\n")

    with pytest.raises(ValueError, match="no place"):
        tuning_report.quote(document, ["| new |"])
