"""A configuration in a ConfigMap that changes under load: the mounted file follows, and `handoff reload` takes it up."""

import json
from functools import partial

from cluster import settings
from cluster.deployed import NAMESPACE, NODE_PORT, Deployed, Object, containers, deployed, example
from cluster.outside import Cluster
from live.client import ask
from live.process import until

FOLDER = "/etc/handoff"


def configuration(*paths: str) -> Object:
    pools = {"python": {"routes": [{"path": path} for path in paths]}}
    data = {"handoff.json": json.dumps({"pools": pools})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}, "data": data}


def configured(deployment: Object) -> None:
    core, worker = containers(deployment)
    core["args"] = ["serve", "--config", f"{FOLDER}/handoff.json"]
    core["volumeMounts"].append({"name": "configuration", "mountPath": FOLDER, "readOnly": True})
    worker["env"].append({"name": "HANDOFF_POOL", "value": "python"})
    deployment["spec"]["template"]["spec"]["volumes"].append({"name": "configuration", "configMap": {"name": "app"}})


def status(path: str) -> int:
    return ask(NODE_PORT, "GET", path, host=settings.address(1)).status


def is_seen(app: Deployed, pod: str) -> bool | None:
    """By the core in it: the new path stands in the file."""
    said = app.kubectl("exec", pod, "--container", "handoff", "--", "cat", f"{FOLDER}/handoff.json")
    return "/two" in said or None


def test_a_change_of_the_config_map_is_taken_up_without_loss(cluster: Cluster) -> None:
    with (
        deployed(cluster, configuration("/one"), *example(configured)) as app,
        app.asked("/one?seconds=0.05") as clients,
    ):
        assert status("/two") == 404
        cluster.apply(configuration("/one", "/two"), namespace=NAMESPACE)
        # The kubelet looks once a minute, and whenever a pod changes.
        app.kubectl("annotate", "pods", "--all", "looked-at=again")
        for name in app.names():
            until(partial(is_seen, app, name), "the change is there")
            app.kubectl("exec", name, "--container", "handoff", "--", "handoff", "reload", "--wait")
        clients.await_more()
        clients.tell("a ConfigMap changed and reloaded")
        assert {status("/two") for _ in range(10)} == {200}

    assert clients.lost == 0, clients.outcomes
