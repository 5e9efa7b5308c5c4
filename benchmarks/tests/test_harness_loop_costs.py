import os
import time
from dataclasses import replace

import pytest
from harness import threads
from harness.loop_costs import Fit, Sample, fit, slope


def made(apart: bool, calls: float, wakes: float) -> Sample:
    """As a server would be whose requests take 10 µs for the client, 4 for the pool, 1 for the hop, and 3 a call."""
    client, pool = 10 + 0.5 + 3 * wakes, 4 + 0.5 + 3 * calls
    if apart:
        return Sample("plain", 1, True, 64, client, 2 + wakes, pool, calls, 5, 1)
    return Sample("plain", 1, False, 64, 0, 0, 10 + 4 + 3 * calls, 2 + calls, 5, 1)


def test_takes_apart_what_a_request_and_what_a_call_costs() -> None:
    samples = [
        made(apart, calls, wakes) for apart in (True, False) for calls, wakes in ((0.2, 0.1), (1, 0.5), (2, 0.3))
    ]
    found = fit(samples)
    assert (found.client, found.pool, found.hop, found.call) == pytest.approx((10, 4, 1, 3))


def test_no_hop_costs_less_than_nothing() -> None:
    samples = [made(apart, calls, 0) for apart in (True, False) for calls in (1, 2)]
    cheaper = [replace(sample, pool_micros=sample.pool_micros - 5) if sample.apart else sample for sample in samples]
    assert fit(cheaper) == Fit(pytest.approx(10.5), pytest.approx(-0.5), 0, pytest.approx(3))  # type: ignore[arg-type]


def test_a_point_that_is_far_off_does_not_move_the_slope() -> None:
    assert slope([(1, 2), (2, 4), (3, 6), (4, 8), (5, 100), (5, 10)]) == 2


def test_counts_what_a_thread_uses() -> None:
    before = threads.usage(os.getpid())
    ends = time.thread_time() + 0.05
    while time.thread_time() < ends:
        pass
    used = threads.used(before, threads.usage(os.getpid()))
    assert sum(usage.cpu_micros for usage in used.values()) >= 50_000
    assert sum(usage.system_calls for usage in used.values()) > 0
