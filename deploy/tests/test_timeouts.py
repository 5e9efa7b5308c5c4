"""What the files for the proxies say of time, beside what Handoff does by default."""

import re
from pathlib import Path

import pytest

DEPLOY = Path(__file__).resolve().parents[1]
SCHEMA = (DEPLOY.parent / "docs" / "handoff.schema.json").read_text()

UNITS = {"s": 1, "m": 60}


def default_seconds(description: str) -> int:
    found = re.search(rf"{re.escape(description)} \[(\d+)([sm])\]", SCHEMA)
    assert found, description
    return int(found[1]) * UNITS[found[2]]


def seconds(file: str, name: str) -> int:
    (found,) = re.findall(rf"^\s*{name}\s+(\d+)s\b", (DEPLOY / file).read_text(), re.MULTILINE)
    return int(found)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("nginx.conf", "keepalive_timeout"),
        ("haproxy.cfg", "default-server pool-purge-delay"),
        ("Caddyfile", "keepalive"),
    ],
)
def test_idle_connections_end_in_the_proxy_first(file: str, name: str) -> None:
    assert seconds(file, name) + 10 <= default_seconds("Wait for a client's next request.")


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("nginx.conf", "proxy_read_timeout"),
        ("haproxy.cfg", "timeout server"),
        ("Caddyfile", "response_header_timeout"),
    ],
)
def test_it_is_handoff_that_says_that_a_request_took_too_long(file: str, name: str) -> None:
    assert seconds(file, name) >= default_seconds("Wait for a response; then 504.") + 10
