"""What the runbooks of the alerts have operators run: it is in the image, or where they keep certificates, and does what they say."""

import re
import subprocess
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
DATES = "openssl x509 -noout -dates -in FILE"
TRIED = {"handoff stats", "handoff top --once", "handoff reload", "kill -QUIT 1", "kill -QUIT PID", DATES}


def test_every_command_is_tried_here() -> None:
    assert set(COMMANDS) == TRIED


@pytest.mark.parametrize("command", ["handoff stats", "handoff top --once"])
def test_figures_are_shown_in_the_container_that_serves(up: Project, command: str) -> None:
    assert "python" in up.inside("handoff", *command.split())


def test_a_thread_dump_is_in_the_log(up: Project) -> None:
    up.inside("handoff", "sh", "-c", "kill -QUIT 1")
    until(lambda: "Full thread dump" in up.compose("logs", "handoff") or None, "a thread dump")
    until(lambda: up.admin("/ready").status == 200 or None, "it goes on")


def test_a_reload_is_asked_for_in_the_container(up: Project) -> None:
    assert up.inside("handoff", "handoff", "reload")


def test_the_dates_of_a_certificate_are_told(tmp_path: Path) -> None:
    file = tmp_path / "cert.pem"
    new = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "3"]
    subprocess.run([*new, "-keyout", tmp_path / "key.pem", "-out", file], check=True, capture_output=True)
    dates = subprocess.run(DATES.replace("FILE", str(file)).split(), check=True, capture_output=True, text=True)
    assert re.search(r"^notAfter=.+ GMT$", dates.stdout, re.MULTILINE)
