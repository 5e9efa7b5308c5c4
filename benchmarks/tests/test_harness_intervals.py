import random

import pytest
from harness.intervals import Interval, bootstrap


def test_the_same_samples_give_the_same_interval() -> None:
    starts = [[1.0, 1.1], [0.9, 1.2], [1.0, 1.3]]
    assert bootstrap(starts, seed=7) == bootstrap(starts, seed=7)
    assert bootstrap(starts, seed=7).median == 1.05


def test_without_any_difference_there_is_nothing_to_be_unsure_of() -> None:
    assert bootstrap([[2.0, 2.0], [2.0, 2.0]]) == Interval(2.0, 2.0, 2.0)


def test_one_odd_sample_moves_neither_end() -> None:
    assert bootstrap([[1.0] * 5] * 4 + [[1.0] * 4 + [9.0]]) == Interval(1.0, 1.0, 1.0)


def test_what_starts_differ_in_counts_once_for_each_start() -> None:
    # As many samples with the same spread; here it lies between the starts, there within each.
    between = bootstrap([[0.9] * 4, [1.0] * 4, [1.1] * 4])
    within = bootstrap([[0.9, 1.0, 1.1, 1.0]] * 3)
    assert (between.low, between.high) == (0.9, 1.1)
    assert within.half_width < between.half_width


def test_holds_the_truth_about_as_often_as_it_promises() -> None:
    chance = random.Random(3)
    held = 0
    for _ in range(100):
        lucks = [chance.gauss(0, 0.03) for _ in range(6)]
        starts = [[1 + luck + chance.gauss(0, 0.05) for _ in range(4)] for luck in lucks]
        interval = bootstrap(starts, draws=200)
        held += interval.low <= 1 <= interval.high
    assert 90 <= held < 100


@pytest.mark.parametrize(("high", "half_width"), [(1.0, 0.0), (1.06, 0.03)])
def test_half_the_width_is_a_share_of_the_median(high: float, half_width: float) -> None:
    assert Interval(1.0, 1.0, high).half_width == pytest.approx(half_width)
