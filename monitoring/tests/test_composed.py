"""What docker-compose.yml gives Prometheus and Grafana, as far as none is needed to tell. Grafana reads its files there and nowhere else."""

import json
import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
PROVISIONING = "/etc/grafana/provisioning"
DASHBOARD = json.loads((ROOT / "monitoring" / "grafana-dashboard.json").read_text())


def test_every_file_that_is_mounted_is_there() -> None:
    mounted = [source for service in SERVICES for source in files(service).values()]

    assert mounted
    # The configuration's folder: an editor puts another file in the place of the one that is mounted.
    folders = {each for each in mounted if each.is_dir()}
    assert {each.name for each in folders} <= {"config", "your-own"}
    assert [str(each) for each in mounted if each not in folders and not each.is_file()] == []


def test_grafana_asks_the_prometheus_that_is_composed() -> None:
    (source,) = read("grafana", f"{PROVISIONING}/datasources/handoff.yml")["datasources"]

    assert source["url"] == "http://prometheus:9090"
    assert "--config.file=/etc/prometheus/prometheus.yml" in SERVICES["prometheus"]["command"]


def test_the_dashboard_finds_its_data_source_without_a_choice() -> None:
    (source,) = read("grafana", f"{PROVISIONING}/datasources/handoff.yml")["datasources"]
    (chosen,) = [each for each in DASHBOARD["templating"]["list"] if each["type"] == "datasource"]

    assert source["type"] == chosen["query"] == "prometheus"
    assert source["isDefault"]


def test_grafana_finds_the_dashboard_and_begins_with_it() -> None:
    (provider,) = read("grafana", f"{PROVISIONING}/dashboards/handoff.yml")["providers"]
    home = SERVICES["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]

    assert home.startswith(provider["options"]["path"] + "/")
    assert files("grafana")[home].name == "grafana-dashboard.json"


def test_nobody_can_change_grafana() -> None:
    settings = SERVICES["grafana"]["environment"]

    assert settings["GF_AUTH_ANONYMOUS_ORG_ROLE"] == "Viewer"
    assert settings["GF_AUTH_DISABLE_LOGIN_FORM"] == settings["GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION"] == "true"
    assert settings["GF_AUTH_BASIC_ENABLED"] == "false"


def test_prometheus_finds_server_rules_and_token() -> None:
    configuration = read("prometheus", "/etc/prometheus/prometheus.yml")
    (job,) = configuration["scrape_configs"]

    assert [f"/etc/prometheus/{each}" in files("prometheus") for each in configuration["rule_files"]] == [True]
    assert job["static_configs"] == [{"targets": ["handoff:8081"]}]
    assert job["authorization"]["credentials_file"] == SERVICES["handoff"]["environment"]["HANDOFF_ADMIN_TOKEN_FILE"]
    assert "admin:/var/lib/handoff:ro" in SERVICES["prometheus"]["volumes"]


def test_both_configurations_of_prometheus_scrape_the_same() -> None:
    alone = yaml.safe_load((ROOT / "monitoring" / "prometheus.yml").read_text())
    composed = read("prometheus", "/etc/prometheus/prometheus.yml")
    for each in (alone, composed):
        (job,) = each["scrape_configs"]
        del job["static_configs"]
        job.pop("authorization", None)

    assert alone == composed


def test_ports_of_operators_are_published_on_loopback_only() -> None:
    published = {service: SERVICES[service].get("ports", []) for service in SERVICES}

    assert published["handoff"][0].endswith(":8080")
    assert len(published["prometheus"] + published["grafana"] + published["handoff"][1:]) == 3
    for port in published["prometheus"] + published["grafana"] + published["handoff"][1:]:
        assert re.match(r"127\.0\.0\.1:\$\{\w+:-\d+\}:\d+$", port), port


def test_images_that_are_pulled_name_their_version() -> None:
    pulled = [service["image"] for service in SERVICES.values() if "build" not in service]

    assert len(pulled) == 2
    # As the default of a variable, which may name a digest instead.
    assert all(re.match(r"\$\{\w+_IMAGE:-\S+:v?\d+\.\d+\.\d+\}$", each) for each in pulled), pulled


def files(service: str) -> dict[str, Path]:
    """Of the checkout, by where the service finds them."""
    mounts = [each.split(":") for each in SERVICES[service].get("volumes", []) if each.startswith("./")]
    return {mount[1]: ROOT / mount[0] for mount in mounts}


def read(service: str, path: str) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(files(service)[path].read_text())
    return read
