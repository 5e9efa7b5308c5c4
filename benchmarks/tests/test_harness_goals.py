from dataclasses import replace

import pytest
from harness.frameworks import FRAMEWORK_GROUPS
from harness.goals import GOALS, Goal, Ratio, Verdict, ratios
from harness.intervals import Interval
from harness.node_frameworks import NODE_FRAMEWORK_GROUPS
from harness.peers import GROUPS
from harness.rounds import Measurements, Sample

BASE = Sample("uvicorn", "hello", 1, 1, 1000, 20, 0, 0, 0, 0, 0)


def measurements(*samples: Sample) -> Measurements:
    return Measurements(list(samples), {})


def test_compares_within_each_round() -> None:
    # The second round was twice as slow for all: the ratio is that of the first. The third has no other side yet.
    found = ratios(
        measurements(
            BASE,
            replace(BASE, peer="handoff-sdk-python", requests_per_second=3000, cpu_micros=8),
            replace(BASE, peer="handoff-sdk-python", round=2, requests_per_second=1500, cpu_micros=16),
            replace(BASE, round=2, requests_per_second=500, cpu_micros=40),
            replace(BASE, round=3, requests_per_second=1),
        ),
        "hello",
    )
    assert [(ratio.goal.subject, ratio.goal.against) for ratio in found] == [("handoff-sdk-python", "uvicorn")]
    assert found[0].throughput == Interval(3.0, 3.0, 3.0)
    assert found[0].cpu == Interval(0.4, 0.4, 0.4)
    assert found[0].verdict is Verdict.REACHED


def test_samples_of_one_start_stay_together() -> None:
    samples = []
    for start, cpu in enumerate((18, 20, 22), 1):
        for number in (2 * start, 2 * start + 1):
            samples.append(replace(BASE, start=start, round=number))
            samples.append(replace(BASE, peer="handoff-sdk-python", start=start, round=number, cpu_micros=cpu))
    assert ratios(measurements(*samples), "hello")[0].cpu == Interval(1.0, 0.9, 1.1)


CLEAR = Interval(1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("throughput", "cpu", "verdict"),
    [
        (Interval(1.1, 1.0, 1.2), Interval(0.9, 0.8, 1.0), Verdict.REACHED),
        (Interval(1.1, 0.99, 1.2), Interval(0.9, 0.8, 1.0), Verdict.UNDECIDED),
        (Interval(1.1, 1.0, 1.2), Interval(0.9, 0.8, 1.01), Verdict.UNDECIDED),
        (Interval(0.9, 0.8, 0.99), Interval(0.9, 0.8, 1.01), Verdict.MISSED),
        (Interval(1.1, 1.0, 1.2), Interval(1.1, 1.01, 1.2), Verdict.MISSED),
    ],
)
def test_both_limits_must_be_kept_by_the_whole_interval(throughput: Interval, cpu: Interval, verdict: Verdict) -> None:
    assert Ratio(Goal("one", "two", throughput=1.0, cpu=1.0), throughput, cpu).verdict is verdict


def test_each_limit_has_a_verdict_of_its_own() -> None:
    ratio = Ratio(Goal("one", "two", throughput=1.0, cpu=1.0), Interval(0.9, 0.8, 0.95), CLEAR)
    assert ratio.throughput_verdict is Verdict.MISSED
    assert ratio.cpu_verdict is Verdict.REACHED
    assert ratio.verdict is Verdict.MISSED


def test_only_what_has_a_limit_must_be_narrow() -> None:
    wide = Interval(1.0, 0.5, 1.5)
    assert Ratio(Goal("one", "two", cpu=1.0), throughput=wide, cpu=CLEAR).half_width == 0
    assert Ratio(Goal("one", "two", throughput=1.0, cpu=1.0), throughput=wide, cpu=CLEAR).half_width == 0.5


def test_each_goal_has_a_limit() -> None:
    assert all(goal.throughput is not None or goal.cpu is not None for goal in GOALS)


@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: f"{goal.subject}, {goal.against}")
def test_servers_of_a_goal_are_measured_together(goal: Goal) -> None:
    groups = [*GROUPS.values(), *FRAMEWORK_GROUPS.values(), *NODE_FRAMEWORK_GROUPS.values()]
    assert any(goal.subject in group and goal.against in group for group in groups)


def test_says_nothing_of_a_server_that_was_left_out() -> None:
    assert ratios(measurements(BASE), "hello") == []
