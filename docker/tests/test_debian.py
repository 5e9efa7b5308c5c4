"""The Debian package and the units of systemd, in a container whose first process is a real systemd."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from harness.commands import CommandFailed, run, say
from harness.engine import Engine
from harness.load import load
from harness.project import ROOT, Project
from live.client import ask
from live.ports import free_ports
from live.process import until

HERE = Path(__file__).with_name("debian")
IMAGE = "handoff-tests-systemd"
MANY = 1000
DIST_SECONDS = 1800
# What systemd and the confinement of its services need: to mount, mostly.
MAY = [
    "--cap-add",
    "SYS_ADMIN",
    "--cap-add",
    "SYS_PTRACE",
    "--ulimit",
    "nofile=16384:16384",
    "--tmpfs",
    "/run",
    "--tmpfs",
    "/tmp",
]
MAY += ["--security-opt", "seccomp=unconfined", "--security-opt", "apparmor=unconfined"]
UP = {"running", "degraded"}
UNITS = ("handoff.service", "handoff.socket")


@dataclass(frozen=True)
class Debian:
    engine: Engine
    container: str
    port: int

    def run(self, *command: str) -> str:
        return self.engine.docker("exec", self.container, *command)

    def says(self, *command: str) -> str:
        """Whatever its exit code is."""
        return self.run("sh", "-c", '"$@" 2>&1 || true', "sh", *command)

    def install(self) -> None:
        self.run("dpkg", "--install", "/handoff.deb")

    def main_process(self) -> str:
        return self.run("systemctl", "show", "--property=MainPID", "--value", "handoff.service")

    def processes(self) -> str:
        # In brackets, or it would find the shell that looks.
        return self.run("sh", "-c", "pgrep --full --list-full '[/]usr/lib/handoff' || true")


@pytest.fixture(scope="module")
def package() -> Path:
    environment = {"HANDOFF_HOME": ""} if "HANDOFF_HOME" in os.environ else {}
    made = run([ROOT / "scripts" / "dist", "deb"], environment=environment, limit_seconds=DIST_SECONDS)
    return ROOT / made.splitlines()[-1]


@pytest.fixture(scope="module")
def debian(up: Project, engine: Engine, package: Path) -> Iterator[Debian]:
    """With the package installed, and said what to serve."""
    say("building a Debian with systemd")
    network = ["--network", "host"] if engine.own else []
    engine.with_environment({"DOCKER_BUILDKIT": "0"}).docker("build", "--quiet", *network, "--tag", IMAGE, HERE)
    (port,) = free_ports(1)
    container = engine.docker("run", "--detach", *MAY, "--publish", f"127.0.0.1:{port}:8080", IMAGE)
    try:
        made = Debian(engine, container, port)
        until(lambda: made.says("systemctl", "is-system-running") in UP or None, "systemd is up")
        engine.docker("cp", package, f"{container}:/handoff.deb")
        made.install()
        yield made
    finally:
        engine.docker("rm", "--force", "--volumes", container)
        remove_groups()


def remove_groups() -> None:
    """Where the container had to make its control group beside those of the machine, which it then outlives."""
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    for root in [Path(where) for _, where, kind, *_ in mounts if kind == "cgroup2"]:
        for group in sorted(root.glob("handoff-tests/**/"), reverse=True):
            group.rmdir()


@pytest.fixture(scope="module")
def serving(debian: Debian) -> Debian:
    for unit in UNITS:
        debian.run("mkdir", "--parents", f"/etc/systemd/system/{unit}.d")
        debian.engine.docker("cp", HERE / f"{unit}.conf", f"{debian.container}:/etc/systemd/system/{unit}.d/own.conf")
    debian.run("systemctl", "daemon-reload")
    debian.run("systemctl", "enable", "--now", "handoff.socket", "handoff.service")
    assert ask(debian.port, "GET", "/").text.startswith("hello from Python on ")
    return debian


def test_installing_starts_and_enables_nothing(debian: Debian) -> None:
    for unit in UNITS:
        assert debian.says("systemctl", "is-active", unit) == "inactive"
        assert debian.says("systemctl", "is-enabled", unit) == "disabled"
    assert debian.processes() == ""


def test_the_service_runs_as_a_user_of_its_own_without_a_capability(serving: Debian) -> None:
    status = serving.run("cat", f"/proc/{serving.main_process()}/status")

    assert "\nUid:\t0\t" not in status
    assert "\nCapEff:\t0000000000000000\n" in status
    assert serving.run("stat", "--format=%a", "/var/lib/private/handoff/admin-token") == "600"


def test_a_restart_loses_nothing(serving: Debian) -> None:
    before = serving.main_process()
    with load(serving.port) as asked:
        serving.run("systemctl", "restart", "handoff.service")
        asked.await_more(MANY)

    say(f"restarted by systemd under load: {asked.outcomes.total()} requests, {asked.lost} lost")
    assert asked.lost == 0, asked.outcomes
    assert serving.main_process() != before


def test_an_upgrade_restarts_what_runs_and_loses_nothing(serving: Debian) -> None:
    before = serving.main_process()
    with load(serving.port) as asked:
        serving.install()
        asked.await_more(MANY)

    say(f"upgraded under load: {asked.outcomes.total()} requests, {asked.lost} lost")
    assert asked.lost == 0, asked.outcomes
    assert serving.main_process() != before


def test_a_removal_ends_it(serving: Debian) -> None:
    serving.run("dpkg", "--remove", "handoff-server")

    assert serving.processes() == ""
    sockets = serving.run("cat", "/proc/net/tcp", "/proc/net/tcp6")
    assert not re.search(r":1F90 \S+ 0A ", sockets), "somebody listens on 8080"
    with pytest.raises(CommandFailed):
        serving.run("ls", "/usr/lib/handoff")
    with pytest.raises(CommandFailed):
        serving.run("systemctl", "start", "handoff.service")


def test_a_purge_leaves_nothing_but_ones_own_changes(serving: Debian) -> None:
    serving.install()
    serving.run("systemctl", "start", "handoff.service")
    serving.run("dpkg", "--purge", "handoff-server")

    assert serving.processes() == ""
    left = serving.run("find", "/etc", "/usr", "/var", "-name", "*handoff*", "-not", "-path", "/var/lib/dpkg/*").split()
    assert sorted(left) == [f"/etc/systemd/system/{unit}.d" for unit in UNITS]
