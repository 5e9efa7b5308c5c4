"""What the chart makes of its values, as a real API server judges it, and the life of a release under load."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from cluster.definitions import definitions
from cluster.deployed import NAMESPACE, NODE_PORT, RESTRICTED, Deployed, Object, space
from cluster.outside import Cluster
from harness.commands import CommandFailed
from images import archives

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
ALERTS = ROOT / "monitoring" / "alerts.yml"
CHART = str(DEPLOY / "helm" / "handoff")
VALUES = sorted((DEPLOY / "tests" / "chart").glob("*.values.yaml"))

NAMED: list[Object] = [
    {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "app"}},
    {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "important"}, "value": 1000},
]
"""What the values name, and a cluster has from its operators."""

SMALL: Object = {"requests": {"cpu": "200m"}}
BASE: Object = {
    "core": {"image": archives.CORE, "resources": SMALL},
    "workers": {"worker": {"image": archives.WORKER, "resources": SMALL}},
    "service": {"type": "NodePort", "nodePort": NODE_PORT},
}


@pytest.fixture(scope="module")
def restricted(cluster: Cluster) -> str:
    name = "restricted-chart"
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": RESTRICTED}})
    cluster.apply(*NAMED, namespace=name)
    cluster.apply(*definitions())
    cluster.kubectl("wait", "customresourcedefinitions", "--all", "--for=condition=Established", "--timeout=60s")
    return name


@pytest.mark.parametrize("values", VALUES, ids=lambda path: path.name.partition(".")[0])
def test_every_object_is_accepted(cluster: Cluster, restricted: str, values: Path) -> None:
    rendered = list(yaml.safe_load_all(cluster.helm("template", "app", CHART, "--values", str(values))))
    pods = [pod(each) for each in rendered if each["kind"] == "Deployment"]
    for made in [*rendered, *pods]:
        assert_accepted(cluster, restricted, made)
    assert pods


def assert_accepted(cluster: Cluster, namespace: str, made: Object) -> None:
    arguments = ("create", "--namespace", namespace, "--dry-run=server", "--validate=strict", "--filename", "-")
    assert "(server dry run)" in cluster.kubectl(*arguments, given=json.dumps(made))


def test_the_alert_rules_are_those_of_a_prometheus_rule(cluster: Cluster, restricted: str) -> None:
    """With `spec:` above what the file says, as docs/DEPLOYING.md has it."""
    spec = yaml.safe_load(ALERTS.read_text())
    made = {"apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule", "metadata": {"name": "handoff"}}
    assert_accepted(cluster, restricted, {**made, "spec": spec})


def pod(deployment: Object) -> Object:
    made = deployment["spec"]["template"]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**made["metadata"], "name": "by-itself"},
        "spec": made["spec"],
    }


class Release:
    def __init__(self, app: Deployed, folder: Path) -> None:
        self._app = app
        self._values = folder / "values.json"

    def set(self, command: str, worker: str, *options: str) -> None:
        workers: dict[str, Any] = {"worker": {**BASE["workers"]["worker"], "image": worker}}
        self._values.write_text(json.dumps({**BASE, "workers": workers}))
        self._helm(command, "app", CHART, "--values", str(self._values), "--wait", *options)

    def roll_back(self) -> None:
        self._helm("rollback", "app", "--wait")

    def _helm(self, *arguments: str) -> None:
        self._app.cluster.helm("--namespace", NAMESPACE, *arguments)


def test_a_release_is_upgraded_and_rolled_back_without_loss(cluster: Cluster, tmp_path: Path) -> None:
    with space(cluster) as app:
        release = Release(app, tmp_path)
        release.set("install", archives.WORKER)
        with app.asked() as clients:
            release.set("upgrade", archives.NEXT_WORKER)
            with pytest.raises(CommandFailed, match="context deadline exceeded"):
                release.set("upgrade", archives.BROKEN_WORKER, "--timeout", "30s")
            release.roll_back()
            app.await_ready(2)
            clients.await_more()
            clients.tell("a release upgraded, broken and rolled back")

    assert clients.lost == 0, clients.outcomes
    assert {body.split()[0] for body in clients.bodies} == {"1", "2"}
