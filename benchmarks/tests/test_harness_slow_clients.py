from dataclasses import replace

from harness.slow_clients import AFTER, BEFORE, SLOW, Phase, crowding_over
from harness.slow_report import rise_millis
from load.paced_client import Figures
from load.tricklers import Counts

FIGURES = Figures(answers=1, errors=0, p50=0, p90=0, p99=0, p999=0, most=0, late_p99=0, cpu_seconds=0)


def phase(name: str, p99_millis: float) -> Phase:
    return Phase("handoff-python", name, replace(FIGURES, p99=p99_millis * 1000), 0, 0, 0, None)


def test_the_rise_is_over_the_mean_of_both_baselines() -> None:
    phases = [phase(BEFORE, 1), phase(SLOW, 12), phase(AFTER, 3)]
    assert rise_millis(phases, "handoff-python") == 10


def test_counts_only_what_happened_meanwhile() -> None:
    reports = [
        Counts(at=10, open=90, opened=100, ended=10, sent_bytes=50, answers={"408": 10, "200": 5}, cpu_seconds=1),
        Counts(at=11, open=70, opened=110, ended=40, sent_bytes=90, answers={"408": 20, "200": 5}, cpu_seconds=1.2),
        Counts(at=14, open=80, opened=130, ended=50, sent_bytes=250, answers={"408": 30, "200": 5}, cpu_seconds=2),
    ]
    crowding = crowding_over(reports)
    assert (crowding.seconds, crowding.least_open) == (4, 70)
    assert (crowding.opened, crowding.ended, crowding.sent_bytes) == (30, 40, 200)
    assert crowding.answers == {"408": 20}
    assert crowding.busy == 0.25
