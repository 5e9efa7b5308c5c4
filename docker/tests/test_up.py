"""What `docker compose up` brings."""

import json
import socket

import pytest
from harness.commands import CommandFailed
from harness.engine import Engine
from harness.project import ROOT, Project, fails, project

SERVICES = ("handoff", "python", "node")
SINCE_ENGINE = 25


def test_one_command_starts_core_and_workers(up: Project) -> None:
    states = {service: up.container(service)["State"]["Status"] for service in SERVICES}

    assert states == dict.fromkeys(SERVICES, "running")
    assert up.container("handoff")["State"]["Health"]["Status"] == "healthy"


@pytest.mark.parametrize(("path", "language", "service"), [("/", "Python", "python"), ("/node", "Node", "node")])
def test_a_path_is_answered_by_the_worker_of_its_pool(up: Project, path: str, language: str, service: str) -> None:
    host = up.container(service)["Config"]["Hostname"]

    assert up.get(path).text == f"hello from {language} on {host}\n"


def test_the_admin_server_asks_for_the_token_that_it_made(up: Project) -> None:
    assert up.admin("/stats").status == 401
    assert up.admin("/stats", "x" * 32).status == 401
    assert up.admin("/stats", up.token()).status == 200


def test_probes_need_no_token(up: Project) -> None:
    assert [up.admin(path).status for path in ("/live", "/ready")] == [200, 200]


def test_both_ports_are_for_this_machine_only(up: Project) -> None:
    published = up.container("handoff")["NetworkSettings"]["Ports"]

    for inside, port in (("8080/tcp", up.port), ("8081/tcp", up.admin_port)):
        assert {each["HostIp"] for each in published[inside]} == {"127.0.0.1"}
        for address in own_addresses():
            with pytest.raises(OSError):
                socket.create_connection((address, port), timeout=10)


def test_operators_ask_inside_without_arguments(up: Project) -> None:
    assert "python  serving" in up.inside("handoff", "handoff", "top", "--once")
    assert json.loads(up.inside("handoff", "handoff", "stats", "--json"))["server"]["state"] == "serving"


def test_a_pool_without_its_worker_makes_the_core_unready(up: Project) -> None:
    up.compose("stop", "node")
    try:
        assert "pool node has no ready worker" in fails(up, "handoff", "/opt/handoff/lib/is-ready")
        assert up.inside("handoff", "/opt/handoff/lib/is-ready", "/live") == "live"
    finally:
        up.compose("up", "--detach", "--wait")

    assert up.inside("handoff", "/opt/handoff/lib/is-ready") == "ready"


def test_a_shorter_interval_at_the_start_needs_a_newer_engine(up: Project, engine: Engine) -> None:
    """Which is why it is in a file of its own."""
    newer = int(engine.docker("version", "--format", "{{.Server.Version}}").split(".")[0]) >= SINCE_ENGINE
    with project(engine, "handoff-tests-start", [ROOT / "docker" / "start-interval.yml"]) as made:
        if newer:
            made.compose("up", "--detach", "--wait")
            assert made.container("handoff")["Config"]["Healthcheck"]["StartInterval"] == 1_000_000_000
        else:
            with pytest.raises(CommandFailed, match="start_interval"):
                made.compose("up", "--detach", "--wait")


def own_addresses() -> set[str]:
    """Of this machine, besides loopback; sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))
        except OSError:
            return set()
        return {asking.getsockname()[0]} - {"127.0.0.1"}
