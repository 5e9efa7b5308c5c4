"""The window of a worker that blocks follows its handler."""

import pytest
from handoff_worker.engine.back_off import LONGEST_SECONDS, BackOff
from handoff_worker.engine.concurrency import FIRST, LARGEST, SMALLEST, Window


def settled(seconds_each: float, window: Window) -> int:
    """The size after many turns that are as full as the window."""
    for _ in range(100):
        window.after(window.size, window.size * seconds_each)
    return window.size


@pytest.mark.parametrize(
    ("seconds_each", "size"),
    [(0.000_01, LARGEST), (0.000_15, LARGEST), (0.000_6, 16), (0.001, 16), (0.002, 8), (0.1, 2)],
)
def test_is_as_large_as_what_is_handled_in_ten_milliseconds(seconds_each: float, size: int) -> None:
    assert settled(seconds_each, Window(SMALLEST, LARGEST)) == size


def test_follows_a_handler_that_changes() -> None:
    window = Window(SMALLEST, LARGEST)
    assert [settled(seconds, window) for seconds in (0.1, 0.000_01, 0.1)] == [SMALLEST, LARGEST, SMALLEST]


def test_is_not_judged_by_few_requests() -> None:
    window = Window(SMALLEST, LARGEST)
    assert not window.after(1, 0.09)
    assert window.size == FIRST
    assert window.after(1, 0.02)
    assert window.size == FIRST // 2


def test_never_gets_smaller_than_there_are_threads() -> None:
    assert settled(1, Window(8, LARGEST)) == 8
    assert settled(1, Window(100, LARGEST)) == 100


def test_stays_where_it_was_asked_for() -> None:
    for size in (1, 5, 1000):
        assert settled(1, Window(size, size)) == settled(0, Window(size, size)) == size


def test_attempts_to_connect_come_less_and_less_often() -> None:
    back_off = BackOff(lambda: 1.0)
    delays = [back_off.next_seconds() for _ in range(8)]
    assert delays == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, LONGEST_SECONDS, LONGEST_SECONDS]
    back_off.reset()
    assert back_off.next_seconds() == 0.1


def test_attempts_to_connect_do_not_come_together() -> None:
    back_off = BackOff()
    delays = [back_off.next_seconds() for _ in range(50)][10:]
    assert all(0.5 * LONGEST_SECONDS <= delay <= 1.5 * LONGEST_SECONDS for delay in delays)
    assert len(set(delays)) > 1
