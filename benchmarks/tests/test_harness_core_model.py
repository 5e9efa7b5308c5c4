from dataclasses import replace

import pytest
from harness.core_model import Costs, Shape, bounds, default_loops, placement, simulate, window

COSTS = Costs(client=10, pool=4, call=4, hop=1, wake=4, worker=5, batch=14)


def test_a_window_is_the_work_of_10_ms_as_far_as_it_is_a_power_of_two_from_2_to_64() -> None:
    assert [window(replace(COSTS, worker=micros)) for micros in (5, 156, 157, 1000, 100_000)] == [64, 64, 32, 8, 2]


def test_half_of_the_cores_are_loops() -> None:
    assert [default_loops(cores) for cores in (1, 2, 3, 8, 64)] == [1, 1, 1, 4, 32]


def test_connections_are_spread_by_number_or_by_all_the_work_of_a_loop() -> None:
    shape = Shape(8, 4, connections=400)
    assert placement(COSTS, shape) == [100, 100, 100, 100]
    # The pool makes as much work as 40 connections, and then as 160, which is more than a loop's share.
    assert placement(replace(COSTS, pool=1), replace(shape, weighed=True)) == [110, 110, 110, 70]
    assert placement(COSTS, replace(shape, weighed=True)) == [134, 133, 133, 0]


@pytest.mark.parametrize(
    ("part", "costs", "shape"),
    [
        ("pool's loop", COSTS, Shape(16, 8, connections=1024)),
        ("pool's loop", COSTS, Shape(16, 8, pool_loops=2, connections=1024, weighed=True)),
        ("workers", replace(COSTS, worker=1000), Shape(8, 4, connections=1024)),
        ("cores", replace(COSTS, worker=200), Shape(4, 16, loops=2, connections=1024)),
    ],
)
def test_ends_where_the_arithmetic_says(part: str, costs: Costs, shape: Shape) -> None:
    found = simulate(costs, shape, answers=5000)
    assert found.bound() == part
    # When a part is saturated, the windows are full.
    assert found.per_second == pytest.approx(bounds(costs, shape, window(costs))[part], rel=0.1)


def test_a_pool_on_more_loops_takes_more() -> None:
    one, two, four = (simulate(COSTS, Shape(16, 8, pool_loops=loops), answers=5000).per_second for loops in (1, 2, 4))
    assert two > one * 1.5
    assert four > two * 1.3


def test_a_few_clients_saturate_nothing() -> None:
    found = simulate(COSTS, Shape(16, 8, connections=2), answers=1000)
    assert found.bound() == "clients"
    # Each turn of a loop and of the worker, four of which begin with waking up.
    assert found.p50_micros > COSTS.client + COSTS.pool + 2 * COSTS.call + COSTS.hop + 4 * COSTS.wake + COSTS.batch


def test_the_same_chances_give_the_same_outcome() -> None:
    shape = Shape(8, 4, slow_part=0.01)
    assert simulate(COSTS, shape, answers=1000) == simulate(COSTS, shape, answers=1000)
    assert simulate(COSTS, shape, answers=1000) != simulate(COSTS, shape, answers=1000, seed=2)
