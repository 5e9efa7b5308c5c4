from dataclasses import replace

from harness.goals import ratios
from harness.rounds import Measurements, Sample, Spread

BASE = Sample("uvicorn", "hello", 1, 1000, 20, 0, 0, 0, 0, 0)


def measurements(*samples: Sample) -> Measurements:
    return Measurements(list(samples), {})


def test_compares_within_each_round() -> None:
    # The second round was twice as slow for all: the ratio is that of the first.
    found = ratios(
        measurements(
            BASE,
            replace(BASE, peer="handoff-sdk-python", requests_per_second=3000, cpu_micros=8),
            replace(BASE, peer="handoff-sdk-python", round=2, requests_per_second=1500, cpu_micros=16),
            replace(BASE, round=2, requests_per_second=500, cpu_micros=40),
        ),
        "hello",
    )
    assert [(ratio.goal.subject, ratio.goal.against) for ratio in found] == [("handoff-sdk-python", "uvicorn")]
    assert found[0].throughput == Spread(3.0, 3.0, 3.0)
    assert found[0].cpu == Spread(0.4, 0.4, 0.4)
    assert found[0].reached


def test_both_limits_must_be_kept() -> None:
    fast_but_dear = replace(BASE, peer="handoff-sdk-python", requests_per_second=3000, cpu_micros=11)
    assert not ratios(measurements(BASE, fast_but_dear), "hello")[0].reached


def test_says_nothing_of_a_server_that_was_left_out() -> None:
    assert ratios(measurements(BASE), "hello") == []
