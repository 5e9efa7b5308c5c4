import pytest
from harness.counted import at, differing

STATISTICS = {"connections": {"open": 1000, "idle": 999}, "pools": [{"name": "default", "queue": {"depth": 7}}]}


@pytest.mark.parametrize(("path", "number"), [("connections.open", 1000), ("pools.0.queue.depth", 7)])
def test_finds_what_is_counted(path: str, number: int) -> None:
    assert at(STATISTICS, path) == number


def test_tells_what_differs() -> None:
    assert differing(STATISTICS, {"connections.open": 1000, "pools.0.queue.depth": 7}) == []
    wanted = {"connections.open": 1000, "connections.idle": 1000, "pools.0.queue.depth": 1007}
    assert differing(STATISTICS, wanted) == [
        "connections.idle is 999, not 1,000",
        "pools.0.queue.depth is 7, not 1,007",
    ]
