"""Where the files that operators copy listen: on this machine only, until somebody opens it."""

import configparser
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
LOOPBACK = "127.0.0.1"


def test_the_socket_unit_listens_on_loopback() -> None:
    unit = configparser.ConfigParser()
    unit.read(ROOT / "deploy" / "handoff.socket")

    assert unit["Socket"]["ListenStream"] == f"{LOOPBACK}:8080"


def published_ports() -> list[str]:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    return [port for service in services.values() for port in service.get("ports", [])]


@pytest.mark.parametrize("port", published_ports())
def test_compose_publishes_on_loopback(port: str) -> None:
    unasked = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", port)

    assert unasked.startswith(f"{LOOPBACK}:")


@pytest.mark.parametrize("page", ["docs/RESTARTING.md", "docker/README.md"])
def test_examples_in_the_pages_listen_on_loopback(page: str) -> None:
    text = (ROOT / page).read_text()

    assert not re.findall(r"^.*(?:create_server\(\(\"0\.0\.0\.0\"|--publish \d+:\d+).*$", text, re.MULTILINE)
