"""deploy/kubernetes.yml with the images of the tests, behind a Service, and outside clients that count what they lose."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from harness.load import Load, load
from images import archives
from live.client import ask
from live.process import until

from cluster import settings
from cluster.outside import Cluster
from cluster.processes import say

Object = dict[str, Any]

EXAMPLE = Path(__file__).resolve().parents[2] / "deploy" / "kubernetes.yml"
IMAGES = {"handoff": archives.CORE, "your-handler": archives.WORKER}
NODE_PORT = 30080
NAMESPACE = "tests"
IN = ("--namespace", NAMESPACE)
RESTRICTED = {"pod-security.kubernetes.io/enforce": "restricted"}
CLIENTS = 4
"""Of each kind."""


Change = Callable[[Object], None]
"""Of a Deployment, in place."""


def example(*changes: Change) -> list[Object]:
    """All objects of the file."""
    objects: list[Object] = list(yaml.safe_load_all(EXAMPLE.read_text()))
    for each in objects:
        if each["kind"] == "Deployment":
            run_here(each)
            for change in changes:
                change(each)
        if each["kind"] == "Service":
            each["spec"]["type"] = "NodePort"
            each["spec"]["ports"][0]["nodePort"] = NODE_PORT
    return objects


def run_here(deployment: Object) -> None:
    """With the images of the tests, and so that six pods fit on two nodes of this machine."""
    for container in containers(deployment):
        container["image"] = IMAGES[container["image"]]
        container["resources"]["requests"]["cpu"] = "200m"


def containers(deployment: Object) -> list[Object]:
    """The core, and then the worker."""
    pod = deployment["spec"]["template"]["spec"]
    return [*pod["containers"], *pod["initContainers"]]


class Outside:
    """Clients that keep their connections, and others that make a new one for each request, through different nodes."""

    def __init__(self, kept: Load, fresh: Load) -> None:
        self._both = (kept, fresh)
        self._began = time.monotonic()

    @property
    def outcomes(self) -> Counter[str]:
        kept, fresh = self._both
        return kept.outcomes + fresh.outcomes

    @property
    def lost(self) -> int:
        return sum(each.lost for each in self._both)

    @property
    def bodies(self) -> set[str]:
        return {body for each in self._both for body in each.bodies}

    def await_more(self, count: int = 100) -> None:
        """Of both kinds, without a loss on the way being told apart."""
        for each in self._both:
            each.await_more(count)

    def tell(self, what: str) -> None:
        kept, fresh = self._both
        seconds = time.monotonic() - self._began
        say(
            f"{what}: {self.outcomes.total()} requests in {seconds:.0f} s, {self.lost} lost; "
            f"kept connections {dict(kept.outcomes)}, new ones {dict(fresh.outcomes)}"
        )


class Deployed:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def kubectl(self, *arguments: str, limit_seconds: float = 300) -> str:
        return self.cluster.kubectl(*IN, *arguments, limit_seconds=limit_seconds)

    def await_rollout(self) -> None:
        self.kubectl("rollout", "status", "deployment/app", "--timeout", "280s")

    def change(self, *changes: Change) -> None:
        self.cluster.apply(*example(*changes), namespace=NAMESPACE)

    def pods(self) -> list[Object]:
        """Without those that end."""
        return [pod for pod in self.cluster.asked("pods", *IN)["items"] if "deletionTimestamp" not in pod["metadata"]]

    def names(self) -> list[str]:
        return [pod["metadata"]["name"] for pod in self.pods()]

    def await_ready(self, count: int) -> None:
        """So many, and nothing left of others, which may still serve."""

        def ready() -> bool | None:
            pods = self.cluster.asked("pods", *IN)["items"]
            return (len(pods) == count and all(map(is_ready, pods))) or None

        until(ready, f"{count} pods are ready")

    def await_at_least(self, count: int) -> None:
        """So many that are ready, whatever else there is."""
        until(lambda: sum(map(is_ready, self.pods())) >= count or None, f"{count} pods or more are ready")

    @contextmanager
    def asked(self, path: str = "/?seconds=0.05", clients: int = CLIENTS) -> Iterator[Outside]:
        first, second = map(settings.address, settings.NODES)
        for host in (first, second):
            until(partial(is_served, host, path), f"{host} has learned of the pods")
        with (
            load(NODE_PORT, path, clients, host=first) as kept,
            load(NODE_PORT, path, clients, host=second, fields={"Connection": "close"}) as fresh,
        ):
            yield Outside(kept, fresh)


def is_served(host: str, path: str) -> bool | None:
    """A node refuses connections until it knows where to send them."""
    try:
        return ask(NODE_PORT, "GET", path, host=host).status == 200 or None
    except OSError:
        return None


def is_ready(pod: Object) -> bool:
    conditions = pod["status"].get("conditions", [])
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


@contextmanager
def space(cluster: Cluster) -> Iterator[Deployed]:
    """A namespace with the restricted standard; all that is in it is gone afterwards."""
    cluster.apply(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": RESTRICTED}},
    )
    try:
        yield Deployed(cluster)
    finally:
        cluster.kubectl("delete", "namespace", NAMESPACE)


@contextmanager
def deployed(cluster: Cluster, *objects: Object) -> Iterator[Deployed]:
    with space(cluster) as made:
        cluster.apply(*objects, namespace=NAMESPACE)
        made.await_rollout()
        yield made
