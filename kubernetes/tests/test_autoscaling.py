"""More pods as the workers' windows fill, before anything is refused, and fewer afterwards."""

import time
from contextlib import AbstractContextManager, ExitStack

from cluster import settings
from cluster.deployed import NODE_PORT, Object, containers, deployed, example
from cluster.metrics_adapter import METRIC, adapter
from cluster.outside import Cluster
from cluster.processes import say
from harness.load import Load, load

TOKEN = "a-token-of-the-tests"
FEWEST, MOST = 2, 6
WINDOW = 4
"""Of each pod: the threads of its worker."""

MORE_CLIENTS = 2
"""With which half of the windows is full again on one pod more."""


AUTOSCALER: Object = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "app"},
    "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "app"},
        "minReplicas": FEWEST,
        "maxReplicas": MOST,
        "metrics": [
            {
                "type": "Pods",
                "pods": {"metric": {"name": METRIC}, "target": {"type": "AverageValue", "averageValue": "500m"}},
            }
        ],
        "behavior": {"scaleDown": {"stabilizationWindowSeconds": 0}},
    },
}
"""Half of each window is to be in use."""


SECRET: Object = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "admin"},
    "stringData": {"admin-token": TOKEN},
}


def limited(deployment: Object) -> None:
    """A short queue, and a token that the adapter knows."""
    core, _ = containers(deployment)
    core["env"].append({"name": "HANDOFF_QUEUE_REQUESTS", "value": "10"})
    (volume,) = (each for each in deployment["spec"]["template"]["spec"]["volumes"] if each["name"] == "admin-token")
    del volume["emptyDir"]
    volume["secret"] = {"secretName": "admin", "defaultMode": 0o440}


def test_pods_follow_the_share_of_the_window_in_use(cluster: Cluster) -> None:
    with deployed(cluster, SECRET, *example(limited), AUTOSCALER) as app, adapter(cluster, TOKEN), ExitStack() as later:
        began = time.monotonic()
        loads = [later.enter_context(asked(FEWEST * MORE_CLIENTS))]
        with ExitStack() as soon:
            for pods in range(FEWEST + 1, MOST + 1):
                loads.append(soon.enter_context(asked(MORE_CLIENTS)))
                app.await_at_least(pods)
                say(f"{pods} pods after {time.monotonic() - began:.0f} s")
        fell = time.monotonic()
        app.await_ready(FEWEST)
        say(f"{FEWEST} pods again {time.monotonic() - fell:.0f} s after the load fell")
        loads[0].await_more(20)

    outcomes = sum((each.outcomes for each in loads[1:]), loads[0].outcomes)
    say(f"autoscaling: {outcomes.total()} requests, {sum(each.lost for each in loads)} lost")
    assert set(outcomes) == {"200"}, outcomes


def asked(clients: int) -> AbstractContextManager[Load]:
    """Each request takes half a second, and a new connection, so that new pods get their share."""
    return load(NODE_PORT, "/?seconds=0.5", clients, host=settings.address(1), fields={"Connection": "close"})
