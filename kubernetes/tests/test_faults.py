"""What breaks by itself, while clients outside of the cluster count what they lose: what was in hand, and not more."""

from collections.abc import Iterator

import pytest
from cluster import settings
from cluster.deployed import NODE_PORT, Deployed, deployed, example
from cluster.outside import Cluster
from harness.load import ANSWERED
from live.client import ask
from live.process import until

CUT_OFF = {"ConnectionResetError", "RemoteDisconnected", "ConnectionRefusedError", "IncompleteRead"}
KILL_JAVA = 'for p in /proc/[0-9]*; do read -r name <$p/comm; [ "$name" != java ] || kill -9 "${p#/proc/}"; done'


@pytest.fixture
def app(cluster: Cluster) -> Iterator[Deployed]:
    with deployed(cluster, *example()) as made:
        yield made


def restarted(app: Deployed, kind: str) -> int:
    return sum(status["restartCount"] for pod in app.pods() for status in pod["status"][kind])


def test_a_worker_that_crashes_loses_what_it_held(app: Deployed) -> None:
    with app.asked() as clients:
        clients.await_more()
        before = clients.outcomes
        assert ask(NODE_PORT, "GET", "/crash", host=settings.address(1)).status == 502
        until(lambda: restarted(app, "initContainerStatuses") == 1 or None, "the worker has been started again")
        app.await_ready(2)
        clients.await_more()
        clients.tell("a worker crashed")

    assert before.total() == before[ANSWERED]
    assert set(clients.outcomes) <= {ANSWERED, "502 worker_lost"}, clients.outcomes
    assert clients.lost < 8


def test_a_core_that_is_killed_loses_its_connections(app: Deployed) -> None:
    with app.asked() as clients:
        clients.await_more()
        before = clients.outcomes
        app.kubectl("exec", app.names()[0], "--container", "handoff", "--", "sh", "-c", KILL_JAVA)
        until(lambda: restarted(app, "containerStatuses") == 1 or None, "the core has been started again")
        app.await_ready(2)
        clients.await_more()
        clients.tell("a core killed")

    assert before.total() == before[ANSWERED]
    assert set(clients.outcomes) <= {ANSWERED, *CUT_OFF}, clients.outcomes
