"""A Prometheus that scrapes one Handoff, with the files that operators get."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from live import process
from live.client import ask
from live.process import until

MONITORING = Path(__file__).resolve().parents[1]
UP = 'up{job="handoff"}'


@dataclass(frozen=True)
class Sample:
    labels: dict[str, str]
    value: float


@dataclass(frozen=True)
class Prometheus:
    port: int

    def query(self, expression: str) -> list[Sample]:
        """The samples of the moment; fails when Prometheus does not take the expression.

        A server that was too busy to be scraped in time has none, until it is scraped again.
        """
        until(lambda: self._samples(f"{UP} == 1") or None, "a scrape")
        return self._samples(expression)

    def _samples(self, expression: str) -> list[Sample]:
        found = self._ask("query?query=" + quote(expression))
        assert found["resultType"] == "vector", expression
        return [Sample(each["metric"], float(each["value"][1])) for each in found["result"]]

    def value(self, expression: str) -> float:
        samples = self.query(expression)
        assert len(samples) == 1, f"{expression}: {samples}"
        return samples[0].value

    def rules(self) -> list[dict[str, Any]]:
        groups: list[dict[str, Any]] = self._ask("rules")["groups"]
        return [rule for group in groups for rule in group["rules"]]

    def await_scrapes(self) -> None:
        """Until it has scraped what is true now, twice, so that there are rates as well."""
        self._await_scrape_after(self._await_scrape_after(time.time()))

    def _await_scrape_after(self, moment: float) -> float:
        scraped = until(lambda: self._samples(f"timestamp({UP}) > {moment} and {UP} == 1") or None, "a scrape")
        return scraped[0].value

    def await_ready(self) -> None:
        """It listens before it has read what it stored."""
        until(lambda: ask(self.port, "GET", "/-/ready").status == 200 or None, "Prometheus is ready")

    def _ask(self, path: str) -> Any:
        answer = json.loads(ask(self.port, "GET", "/api/v1/" + path).text)
        assert answer["status"] == "success", f"{path}: {answer}"
        return answer["data"]


@contextmanager
def run(folder: Path, scraped_port: int, token: Path | None = None) -> Iterator[Prometheus]:
    """With `prometheus.yml` and the rules in it, but for the target and the time between two scrapes."""
    changes = {"localhost:8081": f"127.0.0.1:{scraped_port}", "15s": "1s", "alerts.yml": f"{MONITORING}/alerts.yml"}
    if token:
        changes |= {"# authorization:": "authorization:", "#   credentials_file:": "  credentials_file:"}
        changes |= {"/etc/handoff/admin-token": str(token)}
    configuration = (MONITORING / "prometheus.yml").read_text()
    for ours, tests in changes.items():
        assert ours in configuration, ours
        configuration = configuration.replace(ours, tests)
    (folder / "prometheus.yml").write_text(configuration)
    command = ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/prometheus"]
    command += ["--web.listen-address=127.0.0.1:0", "--log.format=json"]
    with process.run(command, folder / "prometheus.log") as running:
        started = Prometheus(int(running.await_line(r'"address":"127\.0\.0\.1:(\d+)".*"msg":"Listening on"')))
        started.await_ready()
        yield started
