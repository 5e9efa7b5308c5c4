"""Prometheus, as a container beside it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.project import Project
from live.prometheus import Prometheus

ALERTS = Path(__file__).parents[2] / "monitoring" / "alerts.yml"
SENT = {"python": ("/", 25), "node": ("/node", 10)}


@pytest.fixture(scope="module")
def prometheus(up: Project) -> Iterator[Prometheus]:
    up.compose("--profile", "monitoring", "up", "--detach", "--wait", "--no-recreate", "prometheus")
    scraping = Prometheus(up.prometheus_port)
    scraping.await_scrapes()
    yield scraping
    up.compose("--profile", "monitoring", "rm", "--force", "--stop", "prometheus")


def test_prometheus_counts_the_requests_that_were_sent(up: Project, prometheus: Prometheus) -> None:
    def counted() -> dict[str, float]:
        prometheus.await_scrapes()
        return {pool: prometheus.value(f'sum(handoff_dispatched_requests_total{{pool="{pool}"}})') for pool in SENT}

    before = counted()
    for path, times in SENT.values():
        assert [up.get(path).status for _ in range(times)] == [200] * times
    after = counted()

    assert {pool: after[pool] - before[pool] for pool in SENT} == {pool: times for pool, (_, times) in SENT.items()}
    assert prometheus.value("count(handoff_build_info)") == 1


def test_all_alert_rules_are_loaded(prometheus: Prometheus) -> None:
    rules = prometheus.rules()

    assert len(rules) == ALERTS.read_text().count("- alert:")
    assert [each["name"] for each in rules if each["health"] == "err"] == []
    assert "HandoffDown" in {each["name"] for each in rules if each["state"] == "inactive"}


def test_prometheus_is_confined_and_for_this_machine_only(up: Project, prometheus: Prometheus) -> None:
    container = up.container("prometheus")

    assert container["HostConfig"]["ReadonlyRootfs"]
    assert container["HostConfig"]["CapDrop"] == ["ALL"]
    assert {each["HostIp"] for each in container["NetworkSettings"]["Ports"]["9090/tcp"]} == {"127.0.0.1"}
