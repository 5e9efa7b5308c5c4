"""The pods of the example for Kubernetes and of all that the chart renders, as far as they can be judged without a cluster."""

from pathlib import Path
from typing import Any

import pytest
import yaml

DEPLOY = Path(__file__).resolve().parents[1]
RENDERED = [DEPLOY / "kubernetes.yml", *sorted((DEPLOY / "tests" / "chart").glob("*.rendered.yaml"))]
GROUP = 10001


def objects(file: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(file.read_text()))


def workers(pod: dict[str, Any]) -> list[dict[str, Any]]:
    """Not those that end before the core starts."""
    return [each for each in pod.get("initContainers", []) if "restartPolicy" in each]


def containers(pod: dict[str, Any]) -> list[dict[str, Any]]:
    return [*pod["containers"], *workers(pod)]


def mounted(container: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {mount["mountPath"]: mount for mount in container["volumeMounts"]}


def environment(container: dict[str, Any]) -> dict[str, str]:
    return {variable["name"]: variable.get("value", "") for variable in container["env"]}


@pytest.fixture(params=RENDERED, ids=lambda each: each.name)
def pod(request: pytest.FixtureRequest) -> dict[str, Any]:
    (deployment,) = [each for each in objects(request.param) if each["kind"] == "Deployment"]
    found: dict[str, Any] = deployment["spec"]["template"]["spec"]
    return found


def test_core_and_workers_share_the_folder_of_the_socket(pod: dict[str, Any]) -> None:
    for container in containers(pod):
        folder = str(Path(environment(container)["HANDOFF_SOCKET"]).parent)
        assert mounted(container)[folder]["name"] == "socket", container["name"]


def test_every_mounted_volume_is_there(pod: dict[str, Any]) -> None:
    names = {mount["name"] for container in containers(pod) for mount in container["volumeMounts"]}

    assert names == {volume["name"] for volume in pod["volumes"]}


def test_the_end_waits_for_the_drain_and_the_workers(pod: dict[str, Any]) -> None:
    (core,) = pod["containers"]
    _, before_seconds = core["lifecycle"]["preStop"]["exec"]["command"]
    drain_seconds = environment(core)["HANDOFF_DRAIN_TIMEOUT"].removesuffix("s")

    assert pod["terminationGracePeriodSeconds"] > int(before_seconds) + int(drain_seconds) + 10


def test_workers_end_after_the_core_and_wait_for_no_probe_of_theirs(pod: dict[str, Any]) -> None:
    """Kubernetes starts them before the core and ends them after it, and would start the core only when a startup probe of theirs is met."""
    assert {worker["restartPolicy"] for worker in workers(pod)} <= {"Always"}
    assert not [worker["name"] for worker in workers(pod) if "startupProbe" in worker]


def test_pods_keep_to_the_restricted_standard_and_write_nothing_into_their_images(pod: dict[str, Any]) -> None:
    assert pod["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": GROUP,
        "runAsGroup": GROUP,
        "fsGroup": GROUP,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    for container in containers(pod):
        assert container["securityContext"] == {
            "readOnlyRootFilesystem": True,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        }


def test_no_service_sets_a_variable_of_handoff(pod: dict[str, Any]) -> None:
    """Kubernetes would make a HANDOFF_PORT, which is no port, of a Service that is called handoff."""
    assert pod["enableServiceLinks"] is False


def test_no_worker_can_take_the_place_of_the_core_or_read_what_is_its_own(pod: dict[str, Any]) -> None:
    """It may not write to the folder of the socket, and has none other with the core but those that somebody gave to both."""
    (core,) = pod["containers"]
    own = {mount["name"] for mount in core["volumeMounts"]} - {"site"}
    for worker in workers(pod):
        shared = [mount for mount in worker["volumeMounts"] if mount["name"] in own]
        assert shared == [{"name": "socket", "mountPath": "/run/handoff", "readOnly": True}]


@pytest.mark.parametrize("file", RENDERED, ids=lambda each: each.name)
def test_everything_means_the_same_pods(file: Path) -> None:
    labels = {"app.kubernetes.io/name": "handoff", "app.kubernetes.io/instance": "app"}
    for each in objects(file):
        spec = each.get("spec", {})
        selectors = [spec.get("selector"), spec.get("podSelector")]
        for selector in filter(None, selectors):
            assert selector.get("matchLabels", selector) == labels, each["kind"]


@pytest.mark.parametrize("file", RENDERED, ids=lambda each: each.name)
def test_ports_are_named_as_the_core_names_them(file: Path) -> None:
    made = {each["kind"]: each for each in objects(file)}
    (core,) = made["Deployment"]["spec"]["template"]["spec"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in core["ports"]}
    (service,) = made["Service"]["spec"]["ports"]

    assert ports == {"http": 8080, "admin": 8081}
    assert service["targetPort"] == "http"
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert core[probe]["httpGet"]["port"] == "admin"
