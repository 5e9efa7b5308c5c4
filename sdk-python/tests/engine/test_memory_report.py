"""When the core is told what a worker holds."""

from handoff_worker.engine.memory_report import SECONDS, MemoryReport


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_is_told_at_once_and_then_only_so_often() -> None:
    clock = Clock()
    memory = MemoryReport(is_told=True, clock=clock)
    assert memory.is_due(clock.now)
    memory.take()
    assert not memory.is_due(clock.now + SECONDS - 1)
    assert memory.is_due(clock.now + SECONDS)


def test_is_never_told_where_the_core_looks_by_itself() -> None:
    memory = MemoryReport(is_told=False)
    assert not memory.is_due(1e12)
    assert memory.take() == 0
