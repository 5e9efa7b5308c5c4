"""What /metrics answers, without a Prometheus."""

import re
import subprocess
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from live import handoff, load
from live.handoff import Handoff
from live.process import until
from prometheus_client import Metric, parser
from prometheus_client.openmetrics import parser as open_metrics_parser

README = Path(__file__).parents[1] / "README.md"
OPEN_METRICS = "application/openmetrics-text; version=1.0.0"

Series = tuple[str, tuple[tuple[str, str], ...]]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Handoff]:
    folder = tmp_path_factory.mktemp("metrics")
    with handoff.run(folder) as running:
        yield running


def test_promtool_finds_nothing_to_complain_about(server: Handoff) -> None:
    done = subprocess.run(
        ["promtool", "check", "metrics"], input=server.metrics(), check=False, capture_output=True, text=True
    )

    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_open_metrics_is_what_its_strict_parser_takes(server: Handoff) -> None:
    answer = server.admin("/metrics", OPEN_METRICS)

    assert answer.type.startswith("application/openmetrics-text; version=1.0.0")
    assert {family.name for family in parse_open_metrics(answer.text)} >= {
        "handoff_http_requests",
        "process_cpu_seconds",
    }


def test_both_formats_have_the_same_series(server: Handoff) -> None:
    text = series(parse_text(server.metrics()))
    open_metrics = series(parse_open_metrics(server.metrics(OPEN_METRICS)))

    assert {each for each in text if each[0].startswith("handoff_")} == {
        each for each in open_metrics if each[0].startswith("handoff_")
    }


def test_what_only_grows_never_shrinks_under_load_nor_by_a_reset(server: Handoff) -> None:
    with load.constant(server) as requests:
        before = counted(server)
        for _ in range(5):
            requests.await_more()
            server.reset()
            now = counted(server)
            shrunk = {name for name, value in before.items() if now[name] < value}
            assert not shrunk
            assert now[GET_200] > before[GET_200]
            before = now

    assert counted(server)[GET_200] == requests.answered


def test_queue_time_and_handler_time_are_told_apart(server: Handoff) -> None:
    """While the worker has one request for 0.2 s, three others wait: that is 0.6 s in the queue."""
    before = counted(server)
    with ThreadPoolExecutor() as clients:
        clients.submit(server.get, "/until/released")
        until(lambda: server.value("handoff_pool_requests_in_flight") == 1 or None, "the worker has one")
        for _ in range(3):
            clients.submit(server.get, "/")
        until(lambda: server.value("handoff_queue_depth") == 3 or None, "three others wait")
        age = server.value("handoff_queue_oldest_age_seconds")
        until(lambda: server.value("handoff_queue_oldest_age_seconds") > age + 0.2 or None, "they get older")
        server.release("released")
    after = counted(server)

    def increase(name: str, **labels: str) -> float:
        key = (name, tuple(sorted({"pool": "default", **labels}.items())))
        return after[key] - before[key]

    assert increase("handoff_queue_wait_seconds_count") == increase("handoff_handler_duration_seconds_count") == 4
    assert increase("handoff_queue_wait_seconds_sum") >= 0.6
    assert increase("handoff_queue_wait_seconds_bucket", le="0.1") <= 1
    assert increase("handoff_queue_wait_seconds_bucket", le="60.0") == 4
    assert increase("handoff_handler_duration_seconds_sum") >= 0.2


def test_two_who_scrape_see_the_same(server: Handoff) -> None:
    server.get("/")

    assert counted(server)[GET_200] == counted(server)[GET_200] > 0


def test_every_reason_is_there_from_the_start(server: Handoff) -> None:
    """So that the first of its kind is an increase, and not a series that begins with 1."""
    there = {labels["reason"] for name, labels in labelled(server) if name == "handoff_queue_rejected_total"}

    assert there >= {"queue_full", "queue_bytes", "queue_timeout", "no_worker", "draining"}


def test_the_documentation_lists_what_there_is(server: Handoff) -> None:
    documented = set(re.findall(r"`(handoff_\w+)`", README.read_text().split("## What is measured")[1]))
    there = {
        family.name + ("_total" if family.type == "counter" else "")
        for family in parse_text(server.metrics())
        if family.name.startswith("handoff_")
    }

    assert documented == there


def parse_text(text: str) -> Iterable[Metric]:
    return parser.text_string_to_metric_families(text)


def parse_open_metrics(text: str) -> Iterable[Metric]:
    return open_metrics_parser.text_string_to_metric_families(text)  # type: ignore[no-any-return,no-untyped-call]


GET_200: Series = ("handoff_http_requests_total", (("code", "200"), ("method", "GET"), ("pool", "default")))


def series(families: Iterable[Metric]) -> dict[Series, float]:
    return {
        (each.name, tuple(sorted(each.labels.items()))): each.value for family in families for each in family.samples
    }


def counted(server: Handoff) -> dict[Series, float]:
    """The counters, and what of the histograms is one as well."""
    growing = [family for family in parse_text(server.metrics()) if family.type in ("counter", "histogram")]
    return {key: value for key, value in series(growing).items() if key[0].startswith("handoff_")}


def labelled(server: Handoff) -> list[tuple[str, dict[str, str]]]:
    return [(each.name, each.labels) for family in parse_text(server.metrics()) for each in family.samples]
