"""More workers, fewer, and new ones, while clients ask on and on."""

from harness.commands import say
from harness.load import ANSWERED, Load, load
from harness.project import Project
from live.process import until

MANY = 5000


def test_new_workers_take_their_share_at_once_and_nothing_is_lost(up: Project) -> None:
    with load(up.port) as asked:
        up.compose("up", "--detach", "--wait", "--no-recreate", "--scale", "python=4")
        asked.forget_bodies()
        until(lambda: len(asked.bodies) == 4 or None, "all four answer")
        asked.await_more(MANY)

    say(f"scaled to four workers under load: {told(asked)}")
    assert len(asked.bodies) == 4
    assert asked.lost == 0, asked.outcomes


def test_workers_that_leave_lose_nothing(up: Project) -> None:
    up.compose("up", "--detach", "--wait", "--no-recreate", "--scale", "python=4")
    with load(up.port) as asked:
        up.compose("up", "--detach", "--wait", "--no-recreate", "--scale", "python=1")
        asked.forget_bodies()
        asked.await_more(MANY)

    say(f"scaled back to one under load: {told(asked)}")
    assert len(asked.bodies) == 1
    assert asked.lost == 0, asked.outcomes


def test_workers_are_restarted_under_load_and_nothing_is_lost(up: Project) -> None:
    before = up.container("python")["State"]["StartedAt"]
    with load(up.port) as asked:
        asked.await_more(MANY // 2)
        up.compose("restart", "python")
        asked.await_more(MANY // 2)

    say(f"restarted under load: {told(asked)}")
    assert up.container("python")["State"]["StartedAt"] > before
    assert asked.outcomes[ANSWERED] >= MANY
    assert asked.lost == 0, asked.outcomes


def told(asked: Load) -> str:
    return f"{asked.outcomes.total()} requests, {asked.lost} lost"
