"""The harness itself, as far as it needs no engine."""

from harness.host import undoing
from harness.load import PAUSE_SECONDS, Load
from live.ports import free_ports

BEFORE = ["", ":INPUT ACCEPT", ":FORWARD ACCEPT", "-A INPUT -s 192.0.2.1/32 -j DROP", ""][1:-1]

WITH_DOCKER = [
    "",
    ":INPUT ACCEPT",
    ":FORWARD DROP",
    ":DOCKER -",
    ":DOCKER-USER -",
    "-A INPUT -s 192.0.2.1/32 -j DROP",
    '-A INPUT -s 192.0.2.2/32 -m comment --comment "of somebody else" -j DROP',
    "-A FORWARD -j DOCKER-USER",
    "-A FORWARD -i docker0 ! -o docker0 -j ACCEPT",
    "-A FORWARD -i docker_gwbridge -o docker_gwbridge -j DROP",
    "-A DOCKER-USER -j RETURN",
    "",
][1:-1]


def test_only_what_an_engine_has_added_to_the_firewall_is_removed() -> None:
    assert list(undoing(BEFORE, WITH_DOCKER)) == [
        ["--delete", "FORWARD", "-j", "DOCKER-USER"],
        ["--delete", "FORWARD", "-i", "docker0", "!", "-o", "docker0", "-j", "ACCEPT"],
        ["--delete", "FORWARD", "-i", "docker_gwbridge", "-o", "docker_gwbridge", "-j", "DROP"],
        ["--delete", "DOCKER-USER", "-j", "RETURN"],
        ["--flush", "DOCKER"],
        ["--flush", "DOCKER-USER"],
        ["--delete-chain", "DOCKER"],
        ["--delete-chain", "DOCKER-USER"],
        ["--policy", "FORWARD", "ACCEPT"],
    ]


def test_what_was_there_before_the_engine_stays() -> None:
    assert list(undoing(WITH_DOCKER, WITH_DOCKER)) == []


class Counted:
    """In the place of the event: notes how long a client waits, and is set at the third time."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def is_set(self) -> bool:
        return len(self.waits) == 3

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)


def test_a_client_that_is_refused_pauses() -> None:
    (nobody,) = free_ports(1)
    asked = Load(nobody, "/")
    asked._enough = counted = Counted()  # type: ignore[assignment]
    asked.ask_on()

    assert asked.outcomes == {"ConnectionRefusedError": 3}
    assert counted.waits == [PAUSE_SECONDS] * 3
