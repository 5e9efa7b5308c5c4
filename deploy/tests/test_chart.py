"""The Helm chart: what it makes of values, and what it says of wrong ones."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from rendering import schema
from rendering.chart import CHART, ROOT, helm, rendered

pytestmark = pytest.mark.usefixtures("helm_built")

CASES = sorted((ROOT / "deploy" / "tests" / "chart").glob("*.values.yaml"))
ONE_WORKER = {"workers": {"app": {"image": "app:1"}}}


def objects(folder: Path, values: object) -> dict[str, Any]:
    """By their kind."""
    done = rendered(folder, values)
    assert done.returncode == 0, done.stderr
    return {each["kind"]: each for each in yaml.safe_load_all(done.stdout)}


def pod(folder: Path, values: object) -> dict[str, Any]:
    found: dict[str, Any] = objects(folder, values)["Deployment"]["spec"]["template"]
    return found


@pytest.mark.parametrize("values", [None, *CASES], ids=lambda each: each.name if each else "defaults")
def test_helm_finds_nothing_to_say_of_the_chart(values: Path | None) -> None:
    done = helm("lint", "--strict", CHART, *([f"--values={values}"] if values else []))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "[WARNING]" not in done.stdout + done.stderr


def test_what_is_rendered_is_what_is_kept(tmp_path: Path) -> None:
    """Else run scripts/render-chart, and read the difference."""
    subprocess.run([ROOT / "scripts" / "render-chart", tmp_path], check=True, capture_output=True)

    made = {each.relative_to(tmp_path): each.read_text() for each in tmp_path.rglob("*.y*ml")}
    assert len(made) == len(CASES) + 1
    for name, text in made.items():
        assert (ROOT / "deploy" / name).read_text() == text, name


def test_the_schema_has_every_value_and_no_other() -> None:
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    properties = json.loads((CHART / "values.schema.json").read_text())["properties"]

    assert {*properties} - {"global"} == {*values}
    for name in (each for each in values if properties[each].get("additionalProperties") is False):
        assert name == "settings" or {*properties[name]["properties"]} == {*values[name]}, name


def test_pools_routes_and_settings_are_those_of_the_configuration_file() -> None:
    """Else run scripts/render-chart."""
    assert schema.VALUES.read_text() == schema.written(schema.values_schema())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"replica": 3}, "additional properties 'replica' not allowed"),
        ({"replicas": "3"}, "at '/replicas': got string, want integer"),
        (
            {"workers": {"app": {"imgae": "app:1", "image": "app:1"}}},
            "at '/workers/app': additional properties 'imgae'",
        ),
        ({"workers": {"app": {}}}, "at '/workers/app': missing property 'image'"),
        ({"workers": {"app": {"image": "app:1", "startupProbe": {}}}}, "additional properties 'startupProbe'"),
        ({"workers": {"handoff": {"image": "app:1"}}}, "workers.handoff: that is what the container of the core is"),
        ({"workers": {"App": {"image": "app:1"}}}, "workers.App: the name of a container has small letters"),
        ({"pools": {"app": {"rotues": []}}}, "at '/pools/app': additional properties 'rotues'"),
        ({"pools": {"app-external": {}}}, "invalid propertyName 'app-external'"),
        ({"settings": {"maxBdy": "1MiB"}}, "at '/settings': additional properties 'maxBdy'"),
        ({"settings": {"maxBody": "1MB"}}, "at '/settings/maxBody'"),
        ({"settings": {"port": 80}}, "at '/settings': additional properties 'port'"),
        (
            {"core": {"environment": {"HANDOFF_SOCKET": "/x"}}},
            "core.environment.HANDOFF_SOCKET: the chart sets this itself",
        ),
        (
            {"workers": {"app": {"image": "app:1", "environment": {"HANDOFF_POOL": "other"}}}},
            "workers.app.environment.HANDOFF_POOL: the chart sets this itself",
        ),
        ({"core": {"environment": {"LEVEL": 4}}}, "at '/core/environment/LEVEL': got number, want string or object"),
        ({"adminToken": {"value": "short"}}, "at '/adminToken/value'"),
        ({"drainSeconds": 0}, "at '/drainSeconds': minimum: got 0, want 1"),
        ({"service": {"type": "ExternalName"}}, "at '/service/type': value must be one of"),
        ({"workers": {"app": {"image": "app:1", "pool": "shop"}}}, "workers.app names the pool shop, but there are no"),
        ({"pools": {"shop": {}, "api": {}}}, "workers.app serves the pool app, which is not among pools: api, shop"),
        ({"pools": {"app": {}, "api": {}}}, "pools.api has nobody who serves it: name a worker api, or give a worker"),
        ({"workers": None}, "there is no worker: say at least --set workers.app.image=IMAGE"),
        ({"core": {"args": ["run", "x"]}, "settings": {"loops": 2}}, "core.args takes the place of `serve` with pools"),
        ({"adminToken": {"value": "0123456789abcdef", "secret": "x"}}, "adminToken has a value and a secret: give one"),
        ({"podMonitor": {"enabled": True}}, "podMonitor needs a token that Prometheus can read: set adminToken.secret"),
        ({"ingress": {"enabled": True}}, "ingress.hosts is empty: name the hosts that are served"),
        ({"httpRoute": {"enabled": True}}, "httpRoute.parentRefs is empty: name the Gateway"),
        ({"autoscaling": {"enabled": True, "minReplicas": 20}}, "autoscaling.minReplicas is 20, more than maxReplicas"),
    ],
)
def test_a_mistake_is_refused_in_the_words_of_the_values(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    done = rendered(tmp_path, ONE_WORKER | change)

    assert done.returncode != 0
    assert said in done.stderr


def configurations() -> list[Path]:
    """Those that name no folder, which would have to be here."""
    return [each for each in CASES if "/srv/" not in each.read_text() and "pools:" in each.read_text()]


@pytest.mark.parametrize("case", configurations(), ids=lambda each: each.name)
def test_the_configuration_is_valid_to_handoff_itself(tmp_path: Path, case: Path) -> None:
    file = tmp_path / "handoff.json"
    made = objects(tmp_path, yaml.safe_load(case.read_text()))
    file.write_text(made["ConfigMap"]["data"]["handoff.json"])

    done = subprocess.run([ROOT / "handoff", "config", "check", file], check=False, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    for name in yaml.safe_load(case.read_text())["pools"]:
        assert f"pool {name} on " in done.stdout


def test_pods_are_replaced_when_the_configuration_changes_unless_they_read_it_themselves(tmp_path: Path) -> None:
    first, second = ({**ONE_WORKER, "settings": {"maxBody": size}} for size in ("1MiB", "2MiB"))
    kept = {"restartOnChange": False}

    assert pod(tmp_path, first) != pod(tmp_path, second)
    assert pod(tmp_path, first | kept) == pod(tmp_path, second | kept)


def test_a_worker_may_say_otherwise_than_the_defaults_of_all(tmp_path: Path) -> None:
    (worker,) = pod(
        tmp_path,
        {
            "workerDefaults": {"environment": {"A": "1", "B": "1"}, "resources": {"limits": {"memory": "1Gi"}}},
            "workers": {"app": {"image": "app:1", "environment": {"B": "2"}, "resources": {"requests": {"cpu": "2"}}}},
        },
    )["spec"]["initContainers"]

    assert {"name": "A", "value": "1"} in worker["env"]
    assert {"name": "B", "value": "2"} in worker["env"]
    assert worker["resources"] == {"requests": {"cpu": "2", "memory": "128Mi"}, "limits": {"memory": "1Gi"}}


def test_no_worker_is_given_the_admin_token(tmp_path: Path) -> None:
    spec = pod(tmp_path, ONE_WORKER | {"adminToken": {"value": "0123456789abcdef"}})["spec"]
    (core,), (worker,) = spec["containers"], spec["initContainers"]

    assert "admin-token" in {mount["name"] for mount in core["volumeMounts"]}
    assert "admin-token" not in {mount["name"] for mount in worker["volumeMounts"]}
