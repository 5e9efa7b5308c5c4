"""How all of it ends."""

from concurrent.futures import ThreadPoolExecutor

from harness.engine import Engine
from harness.project import Project, project

BEGUN = 8


def test_what_was_begun_is_answered_before_all_end_with_0(slow: Project) -> None:
    with ThreadPoolExecutor(BEGUN) as clients:
        begun = [clients.submit(slow.get, "/begun?delay=5000") for _ in range(BEGUN)]
        slow.await_running("/begun", BEGUN)
        slow.compose("stop")
        answers = [each.result() for each in begun]

    assert [each.status for each in answers] == [200] * BEGUN
    assert {each: slow.container(each)["State"]["ExitCode"] for each in ("handoff", "python", "node")} == {
        "handoff": 0,
        "python": 0,
        "node": 0,
    }


def test_down_with_volumes_leaves_nothing(engine: Engine) -> None:
    def left() -> list[str]:
        mine = ["--quiet", "--filter", "label=com.docker.compose.project=handoff-tests-down"]
        kinds = (["ps", "--all"], ["volume", "ls"], ["network", "ls"])
        return [name for kind in kinds for name in engine.docker(*kind, *mine).split()]

    with project(engine, "handoff-tests-down") as made:
        made.compose("up", "--detach")
        assert len(left()) == 3 + 2 + 1, "containers, volumes, a network"
        made.compose("down", "--volumes")
        assert left() == []
