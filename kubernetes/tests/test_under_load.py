"""What operators do with a deployment, while clients outside of the cluster count what they lose: nothing."""

from collections.abc import Iterator

import pytest
from cluster import settings
from cluster.deployed import Change, Deployed, Object, containers, deployed, example
from cluster.outside import Cluster
from harness.commands import CommandFailed
from images import archives
from live.process import until

CORE, WORKER = 0, 1


@pytest.fixture
def app(cluster: Cluster) -> Iterator[Deployed]:
    with deployed(cluster, *example()) as made:
        yield made


def uses(image: str, position: int) -> Change:
    def change(deployment: Object) -> None:
        containers(deployment)[position]["image"] = image

    return change


def images(app: Deployed) -> set[str]:
    specs = [pod["spec"] for pod in app.pods()]
    return {container["image"] for spec in specs for container in [*spec["containers"], *spec["initContainers"]]}


def versions(bodies: set[str]) -> set[str]:
    return {body.split()[0] for body in bodies}


def test_a_new_core_loses_nothing(app: Deployed) -> None:
    with app.asked() as clients:
        app.change(uses(archives.NEXT_CORE, CORE))
        app.await_rollout()
        app.await_ready(2)
        clients.await_more()
        clients.tell("new image of the core")

    assert clients.lost == 0, clients.outcomes
    assert images(app) == {archives.NEXT_CORE, archives.WORKER}


def test_a_new_worker_loses_nothing(app: Deployed) -> None:
    with app.asked() as clients:
        app.change(uses(archives.NEXT_WORKER, WORKER))
        app.await_rollout()
        app.await_ready(2)
        clients.await_more()
        clients.tell("new image of the worker")

    assert clients.lost == 0, clients.outcomes
    assert images(app) == {archives.CORE, archives.NEXT_WORKER}
    assert versions(clients.bodies) == {"1", "2"}


def test_a_version_that_never_gets_ready_changes_nothing(app: Deployed) -> None:
    before = set(app.names())
    with app.asked() as clients:
        app.change(uses(archives.BROKEN_WORKER, WORKER))
        until(lambda: restarts(app) >= 2 or None, "the new worker has failed again and again")
        app.kubectl("rollout", "undo", "deployment/app")
        app.await_rollout()
        app.await_ready(2)
        clients.await_more()
        clients.tell("a version that never gets ready, and back")

    assert clients.lost == 0, clients.outcomes
    assert set(app.names()) == before
    assert versions(clients.bodies) == {"1"}


def restarts(app: Deployed) -> int:
    statuses = [pod["status"].get("initContainerStatuses", []) for pod in app.pods()]
    return sum(status["restartCount"] for each in statuses for status in each)


def test_a_deleted_pod_loses_nothing(app: Deployed) -> None:
    gone = app.names()[0]
    with app.asked() as clients:
        app.kubectl("delete", "pod", gone)
        app.await_ready(2)
        clients.await_more()
        clients.tell("a pod deleted")

    assert clients.lost == 0, clients.outcomes
    assert gone not in app.names()


def test_more_pods_and_fewer_lose_nothing(app: Deployed) -> None:
    with app.asked() as clients:
        app.kubectl("scale", "deployment/app", "--replicas=5")
        app.await_ready(5)
        clients.await_more()
        app.kubectl("scale", "deployment/app", "--replicas=2")
        app.await_ready(2)
        clients.await_more()
        clients.tell("from 2 to 5 pods and back")

    assert clients.lost == 0, clients.outcomes


def test_a_drained_node_loses_nothing(app: Deployed) -> None:
    """One after the other, as for an update of their systems."""
    with app.asked() as clients:
        for node in map(settings.name, settings.NODES):
            app.kubectl("drain", node, "--delete-emptydir-data", "--timeout=280s")
            assert node not in {pod["spec"]["nodeName"] for pod in app.pods()}
            app.await_ready(2)
            clients.await_more()
            app.kubectl("uncordon", node)
        clients.tell("both nodes drained one after the other")

    assert clients.lost == 0, clients.outcomes


def test_the_budget_refuses_to_evict_both_pods_at_once(app: Deployed) -> None:
    first, second = app.names()
    evict(app, first)

    with pytest.raises(CommandFailed, match="disruption budget"):
        evict(app, second)


def evict(app: Deployed, pod: str) -> None:
    path = f"/api/v1/namespaces/tests/pods/{pod}/eviction"
    app.cluster.kubectl("create", "--raw", path, "--filename", "-", given=eviction(pod))


def eviction(pod: str) -> str:
    return f'{{"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {{"name": "{pod}"}}}}'
