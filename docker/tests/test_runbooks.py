"""What the runbooks of the alerts have operators run: it is in the image, and does what they say."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from harness.project import Project
from live.process import until

ALERTS = Path(__file__).parents[2] / "monitoring" / "alerts.yml"
RULES: list[dict[str, Any]] = yaml.safe_load(ALERTS.read_text())["groups"][0]["rules"]
SPANS = {span for rule in RULES for span in re.findall(r"`([^`]+)`", rule["annotations"]["runbook"])}
# A metric, or an expression of Prometheus, is no command.
COMMANDS = sorted(span for span in SPANS if not re.match(r"(jvm|rate\()", span))
TRIED = {"handoff stats", "handoff top --once", "kill -QUIT 1", "kill -QUIT PID"}


def test_every_command_is_tried_here() -> None:
    assert set(COMMANDS) == TRIED


@pytest.mark.parametrize("command", ["handoff stats", "handoff top --once"])
def test_figures_are_shown_in_the_container_that_serves(up: Project, command: str) -> None:
    assert "python" in up.inside("handoff", *command.split())


def test_a_thread_dump_is_in_the_log(up: Project) -> None:
    up.inside("handoff", "sh", "-c", "kill -QUIT 1")
    until(lambda: "Full thread dump" in up.compose("logs", "handoff") or None, "a thread dump")
    until(lambda: up.admin("/ready").status == 200 or None, "it goes on")
