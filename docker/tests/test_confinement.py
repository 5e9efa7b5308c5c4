"""What a container may not do."""

import re

import pytest
from harness.project import Project, fails

SERVICES = ("handoff", "python", "node")
WORKERS = ("python", "node")

PROCESSES = "cat /proc/[0-9]*/status"


@pytest.mark.parametrize("service", SERVICES)
def test_root_file_systems_cannot_be_written(up: Project, service: str) -> None:
    for folder in ("/", "/usr/bin", "/opt", "/app" if service in WORKERS else "/opt/handoff/lib"):
        assert "Read-only file system" in fails(up, service, "touch", f"{folder}/new")

    up.inside(service, "touch", "/tmp/new")


@pytest.mark.parametrize("service", SERVICES)
def test_no_process_is_root_or_has_a_capability_or_can_get_one(up: Project, service: str) -> None:
    processes = up.inside(service, "sh", "-c", PROCESSES)

    assert set(re.findall(r"^[UG]id:\s+(.*)$", processes, re.MULTILINE)) == {"10001\t10001\t10001\t10001"}
    assert set(re.findall(r"^Cap(?:Eff|Prm|Bnd|Inh|Amb):\s+(\w+)$", processes, re.MULTILINE)) == {"0" * 16}
    assert set(re.findall(r"^NoNewPrivs:\s+(\d)$", processes, re.MULTILINE)) == {"1"}


@pytest.mark.parametrize("service", SERVICES)
def test_memory_processors_and_processes_are_limited(up: Project, service: str) -> None:
    host = up.container(service)["HostConfig"]

    assert 0 < host["Memory"] <= 512 << 20
    assert 0 < host["NanoCpus"] <= 1_000_000_000
    assert 0 < host["PidsLimit"] <= 200
    assert not host["Privileged"]


@pytest.mark.parametrize("service", SERVICES)
def test_who_ends_is_started_again_and_who_is_stopped_has_time(up: Project, service: str) -> None:
    container = up.container(service)

    assert container["HostConfig"]["RestartPolicy"]["Name"] == "unless-stopped"
    assert container["Config"]["StopTimeout"] > 30, "a request may take 30 s"


@pytest.mark.parametrize("service", WORKERS)
def test_workers_have_no_network(up: Project, service: str) -> None:
    interfaces = up.inside(service, "cat", "/proc/net/dev").splitlines()[2:]

    assert [line.split(":")[0].strip() for line in interfaces] == ["lo"]


@pytest.mark.parametrize("service", WORKERS)
def test_workers_cannot_replace_the_socket_nor_read_the_token(up: Project, service: str) -> None:
    assert "Read-only file system" in fails(up, service, "rm", "/run/handoff/handoff.sock")
    assert "No such file" in fails(up, service, "cat", "/var/lib/handoff/admin-token")
