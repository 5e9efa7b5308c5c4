"""What a real API server says of the example's objects, with the restricted standard for pods, and that they run."""

import json

import pytest
from cluster.deployed import Object, containers, deployed, example
from cluster.outside import Cluster
from harness.commands import CommandFailed

SPACE = "restricted"
LABELS = {"pod-security.kubernetes.io/enforce": "restricted"}


@pytest.fixture(scope="module", autouse=True)
def namespace(cluster: Cluster) -> None:
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE, "labels": LABELS}})


def deployment() -> Object:
    (found,) = (each for each in example() if each["kind"] == "Deployment")
    return found


def pod(of: Object) -> Object:
    """By itself: of a Deployment's pods the server only warns, and nobody makes them."""
    made = of["spec"]["template"]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**made["metadata"], "name": "by-itself"},
        "spec": made["spec"],
    }


def tried(cluster: Cluster, made: Object) -> str:
    """Every field is known, every admission says yes, and nothing is made."""
    arguments = ("create", "--namespace", SPACE, "--dry-run=server", "--validate=strict", "--filename", "-")
    return cluster.kubectl(*arguments, given=json.dumps(made)).strip()


def test_every_object_is_accepted(cluster: Cluster) -> None:
    said = [tried(cluster, made) for made in example()]

    assert len(said) == 3
    assert all(each.endswith("/app created (server dry run)") for each in said), said


def test_the_pods_keep_to_the_restricted_standard(cluster: Cluster) -> None:
    assert tried(cluster, pod(deployment())) == "pod/by-itself created (server dry run)"


def test_a_pod_that_does_not_keep_to_it_is_refused(cluster: Cluster) -> None:
    """Else the test above could not fail."""
    loose = deployment()
    containers(loose)[0]["securityContext"]["allowPrivilegeEscalation"] = True

    with pytest.raises(CommandFailed, match="violates PodSecurity"):
        tried(cluster, pod(loose))


def test_it_serves(cluster: Cluster) -> None:
    with deployed(cluster, *example()) as app, app.asked() as clients:
        clients.await_more()

        assert clients.lost == 0, clients.outcomes
        assert {body.split()[1] for body in clients.bodies} == set(app.names())
