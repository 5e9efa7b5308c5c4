"""The concurrency of a worker that blocks follows its handler."""

import pytest
from handoff_worker.engine.concurrency import FIRST, LARGEST, SMALLEST, AdaptiveConcurrency


def settled(seconds_each: float, concurrency: AdaptiveConcurrency) -> int:
    """The value after many turns that are as full as it allows."""
    for _ in range(100):
        concurrency.after(concurrency.value, concurrency.value * seconds_each)
    return concurrency.value


@pytest.mark.parametrize(
    ("seconds_each", "size"),
    [(0.000_01, LARGEST), (0.000_15, LARGEST), (0.000_6, 16), (0.001, 16), (0.002, 8), (0.1, 2)],
)
def test_is_as_large_as_what_is_handled_in_ten_milliseconds(seconds_each: float, size: int) -> None:
    assert settled(seconds_each, AdaptiveConcurrency(SMALLEST, LARGEST)) == size


def test_follows_a_handler_that_changes() -> None:
    concurrency = AdaptiveConcurrency(SMALLEST, LARGEST)
    assert [settled(seconds, concurrency) for seconds in (0.1, 0.000_01, 0.1)] == [SMALLEST, LARGEST, SMALLEST]


def test_is_not_judged_by_few_requests() -> None:
    concurrency = AdaptiveConcurrency(SMALLEST, LARGEST)
    assert not concurrency.after(1, 0.09)
    assert concurrency.value == FIRST
    assert concurrency.after(1, 0.02)
    assert concurrency.value == FIRST // 2


def test_never_gets_smaller_than_there_are_threads() -> None:
    assert settled(1, AdaptiveConcurrency(8, LARGEST)) == 8
    assert settled(1, AdaptiveConcurrency(100, LARGEST)) == 100


def test_stays_where_it_was_asked_for() -> None:
    for size in (1, 5, 1000):
        assert settled(1, AdaptiveConcurrency(size, size)) == settled(0, AdaptiveConcurrency(size, size)) == size
