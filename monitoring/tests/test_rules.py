"""The files for Prometheus, by themselves: what promtool says of them."""

import subprocess
from pathlib import Path

MONITORING = Path(__file__).resolve().parents[1]


def promtool(*arguments: str) -> None:
    done = subprocess.run(["promtool", *arguments], cwd=MONITORING, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_rules_are_valid() -> None:
    promtool("check", "rules", "--lint=all", "--lint-fatal", "alerts.yml")


def test_configuration_is_valid() -> None:
    promtool("check", "config", "--lint=all", "--lint-fatal", "prometheus.yml")


def test_alerts_fire_when_they_should_and_only_then() -> None:
    promtool("test", "rules", "alerts_test.yml")
