"""A real Prometheus scrapes a real Handoff; then every expression that we hand out is tried on it."""

import json
import re
import subprocess
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Any

import pytest
from live import handoff, load, prometheus
from live.handoff import Handoff
from live.process import until
from live.prometheus import Prometheus

README = Path(__file__).parents[1] / "README.md"
DASHBOARD = json.loads((Path(__file__).parents[1] / "grafana-dashboard.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]

DOCUMENTED = [
    line for block in re.findall(r"```promql\n(.*?)```", README.read_text(), re.DOTALL) for line in block.splitlines()
]

VARIABLES = {
    "${datasource}": "prometheus",
    "$__rate_interval": "1m",
    "$job": "handoff",
    "$instance": ".*",
    "$pool": ".*",
}


def tls(folder: Path) -> list[str]:
    """Options for a place with TLS, whose certificate is valid for a month."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    request = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=localhost"]
    subprocess.run(
        [*request, "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )
    return ["--tls-listen", "127.0.0.1:0", "--tls-certificate", str(certificate), "--tls-key", str(key)]


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Handoff, Prometheus]]:
    folder = tmp_path_factory.mktemp("prometheus")
    with (
        handoff.run(folder, *load.OPTIONS, *tls(folder)) as server,
        prometheus.run(folder, server.admin_port) as scraping,
    ):
        scraping.await_scrapes()
        load.go_through_everything(server)
        scraping.await_scrapes()
        yield server, scraping


@pytest.mark.parametrize(
    ("expression", "known"),
    [
        ('handoff_http_requests_total{pool="default", method="GET", code="200"}', load.SERVED + 2),
        ('handoff_http_requests_total{pool="default", method="POST", code="200"}', load.POSTED),
        ('handoff_http_requests_total{pool="default", method="GET", code="503"}', load.REJECTED),
        ('handoff_queue_rejected_total{pool="default", reason="queue_full"}', load.REJECTED),
        ('handoff_handler_failures_total{pool="default"}', load.FAILED),
        ("sum(handoff_bad_responses_total)", load.INVALID),
        ('handoff_lost_requests_total{pool="default"}', load.CRASHES),
        ('handoff_cancels_total{pool="default", reason="client_gone"}', load.LEFT),
        ('handoff_late_responses_total{pool="default"}', load.LEFT),
        ('handoff_http_requests_abandoned_total{reason="client_gone"}', load.LEFT),
        ('handoff_worker_exits_total{pool="default", reason="closed"}', load.CRASHES),
        ("sum(handoff_connections_closed_total) + sum(handoff_connections_open)", load.CONNECTIONS),
        ("handoff_connections_accepted_total", load.CONNECTIONS),
        ('handoff_refused_requests_total{reason="space_before_colon"}', load.GARBAGE),
        ('handoff_workers{pool="default", state="ready"}', 1),
        ("handoff_limit_connections", 10_000),
        ('handoff_queue_limit{pool="default"}', 1),
    ],
)
def test_prometheus_knows_what_happened(scraped: tuple[Handoff, Prometheus], expression: str, known: float) -> None:
    assert scraped[1].value(expression) == known


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_every_panel_of_the_dashboard_shows_something(
    scraped: tuple[Handoff, Prometheus], panel: dict[str, Any]
) -> None:
    for target in panel["targets"]:
        assert_shows_something(scraped[1], substituted(target["expr"]))


@pytest.mark.parametrize("expression", DOCUMENTED)
def test_every_expression_of_the_documentation_shows_something(
    scraped: tuple[Handoff, Prometheus], expression: str
) -> None:
    assert_shows_something(scraped[1], expression)


def test_the_variables_of_the_dashboard_have_values(scraped: tuple[Handoff, Prometheus]) -> None:
    asked = [each["definition"] for each in DASHBOARD["templating"]["list"] if each["type"] == "query"]
    for definition in asked:
        found = re.fullmatch(r"label_values\((.*), (\w+)\)", definition)
        assert found, definition
        assert all(found[2] in each.labels for each in scraped[1].query(substituted(found[1]))), definition

    assert {"$" + each["name"] for each in DASHBOARD["templating"]["list"]} <= set(VARIABLES) | {"$datasource"}


def test_every_alert_is_evaluated_on_data_that_is_there(scraped: tuple[Handoff, Prometheus]) -> None:
    until(lambda: all(each["lastEvaluation"] > "0001-01-02" for each in scraped[1].rules()) or None, "an evaluation")

    rules = scraped[1].rules()

    assert [(each["name"], each["lastError"]) for each in rules if each["health"] != "ok"] == []
    for rule in rules:
        assert_shows_something(scraped[1], without_threshold(rule["query"]))


def test_no_alert_fires_where_a_threshold_is_not_crossed(scraped: tuple[Handoff, Prometheus]) -> None:
    quiet = {"HandoffDown", "HandoffNoReadyWorker", "HandoffLoopNotTurning", "HandoffConnectionsNearLimit"}

    def all_are_inactive() -> bool:
        return all(each["state"] == "inactive" for each in scraped[1].rules() if each["name"] in quiet)

    # A server that was too busy to be scraped in time is down for the rules until they are evaluated again.
    until(lambda: all_are_inactive() or None, "no alert")


def test_the_example_knows_how_to_show_a_token(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("a-token-for-this-test\n")
    token.chmod(0o600)

    with handoff.run(tmp_path, "--admin-token-file", str(token)) as server:
        assert server.admin("/metrics").status == 401
        with prometheus.run(tmp_path, server.admin_port, token) as scraping:
            scraping.await_scrapes()


def assert_shows_something(scraping: Prometheus, expression: str) -> None:
    """A number: what is divided by 0 is not, nor the percentile of nothing."""
    assert any(isfinite(sample.value) for sample in scraping.query(expression)), expression


def substituted(expression: str) -> str:
    for variable, value in VARIABLES.items():
        expression = expression.replace(variable, value)
    assert "$" not in expression, f"a variable without a value: {expression}"
    return expression


def without_threshold(query: str) -> str:
    """What is compared: an alert that does not fire has no samples."""
    compared = re.fullmatch(r"(.*) (?:>|==|<) [\d.]+", query)
    assert compared, query
    return compared[1]
