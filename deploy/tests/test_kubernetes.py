"""The example for Kubernetes, as far as it can be judged without one."""

from pathlib import Path
from typing import Any

import pytest
import yaml


def containers(pod: dict[str, Any]) -> list[dict[str, Any]]:
    return [*pod["containers"], *pod["initContainers"]]


@pytest.fixture
def pod() -> dict[str, Any]:
    deployment = yaml.safe_load((Path(__file__).resolve().parents[1] / "kubernetes.yml").read_text())
    found: dict[str, Any] = deployment["spec"]["template"]["spec"]
    return found


def test_core_and_worker_share_the_folder_of_the_socket(pod: dict[str, Any]) -> None:
    for container in containers(pod):
        mounted = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
        named = {variable["name"]: variable["value"] for variable in container["env"]}

        assert mounted[str(Path(named["HANDOFF_SOCKET"]).parent)] == "socket", container["name"]


def test_every_mounted_volume_is_there(pod: dict[str, Any]) -> None:
    mounted = {mount["name"] for container in containers(pod) for mount in container["volumeMounts"]}

    assert mounted == {volume["name"] for volume in pod["volumes"]}


def test_the_end_waits_for_the_drain(pod: dict[str, Any]) -> None:
    (core,) = pod["containers"]
    _, before_seconds = core["lifecycle"]["preStop"]["exec"]["command"]

    assert pod["terminationGracePeriodSeconds"] > int(before_seconds) + 30 + 10


def test_the_worker_ends_after_the_core(pod: dict[str, Any]) -> None:
    """Which is what Kubernetes does with an init container that is restarted always."""
    assert [worker["restartPolicy"] for worker in pod["initContainers"]] == ["Always"]


def test_no_container_may_gain_or_write_more_than_it_needs(pod: dict[str, Any]) -> None:
    assert [container["securityContext"]["readOnlyRootFilesystem"] for container in containers(pod)] == [True, True]
    assert [container["securityContext"]["capabilities"] for container in containers(pod)] == [{"drop": ["ALL"]}] * 2


def test_the_worker_cannot_take_the_place_of_the_core(pod: dict[str, Any]) -> None:
    """It may not write to the folder of the socket, and has no other folder with the core."""
    (core,), (worker,) = pod["containers"], pod["initContainers"]
    shared = [mount for mount in worker["volumeMounts"] if mount["name"] in {of["name"] for of in core["volumeMounts"]}]

    assert shared == [{"name": "socket", "mountPath": "/run/handoff", "readOnly": True}]
