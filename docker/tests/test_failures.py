"""What is lost when a process is killed, and how it comes back."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from harness.commands import say
from harness.load import ANSWERED, load
from harness.project import Project
from live.process import until

HELD = 5
LOST = "502 worker_lost"
KILL = "kill -9 -1"
"""All processes of a container but the first, which ends when they have."""


def test_a_killed_worker_costs_what_it_held_and_comes_back(slow: Project) -> None:
    token = slow.token()
    concurrency = next(pool["concurrency"] for pool in slow.asked("/workers")["pools"] if pool["name"] == "python")
    with ThreadPoolExecutor(HELD) as clients, load(slow.port) as asked:
        held = [clients.submit(slow.get, "/held?delay=25000") for _ in range(HELD)]
        slow.await_running("/held", HELD, token)
        slow.compose("exec", "--detach", "python", "bash", "-c", KILL)
        assert Counter(each.result().status for each in held) == {502: HELD}
        asked.await_more(1000)

    lost = HELD + asked.lost
    say(
        f"a worker killed under load: {HELD + asked.outcomes.total()} requests, {lost} lost, of a concurrency of {concurrency}"
    )
    assert set(asked.outcomes) <= {ANSWERED, LOST}
    assert lost <= concurrency
    assert slow.container("python")["RestartCount"] == 1


def test_a_killed_core_comes_back_and_its_workers_find_it(up: Project) -> None:
    up.compose("exec", "--detach", "handoff", "bash", "-c", KILL)
    until(lambda: up.container("handoff")["RestartCount"] == 1 or None, "it is started again")
    up.compose("up", "--detach", "--wait")

    assert [up.get(path).status for path in ("/", "/node")] == [200, 200]
    assert [up.container(worker)["RestartCount"] for worker in ("python", "node")] == [0, 0]
