"""How long a worker waits before it connects again."""

from handoff_worker.engine.back_off import LONGEST_SECONDS, BackOff


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
