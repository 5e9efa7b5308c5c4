"""The units for systemd, as far as it judges files without being started."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

DEPLOY = Path(__file__).resolve().parents[1]
WORKERS_END_SECONDS = 10
"""That workers get after the drain, before they are killed."""

needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")


def value(unit: str, key: str) -> str:
    (found,) = re.findall(rf"^{key}=(.*)$", (DEPLOY / unit).read_text(), re.MULTILINE)
    return str(found)


@needs_systemd
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    service = (DEPLOY / "handoff.service").read_text()
    assert "/opt/handoff/handoff run" in service
    (tmp_path / "handoff.service").write_text(service.replace("/opt/handoff/handoff run", "/bin/true run"))
    shutil.copy(DEPLOY / "handoff.socket", tmp_path)

    done = subprocess.run(
        ["systemd-analyze", "verify", "handoff.service", "handoff.socket"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )

    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
def test_systemd_rates_the_exposure_of_the_service_below_two_of_ten() -> None:
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--threshold=19", "./handoff.service"],
        cwd=DEPLOY,
        check=False,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_service_has_the_admin_server_ask_for_a_token() -> None:
    """In a folder that systemd makes, and that nobody else enters."""
    folder = value("handoff.service", "StateDirectory")

    assert value("handoff.service", "Environment") == f"HANDOFF_ADMIN_TOKEN_FILE=%S/{folder}/admin-token"
    assert value("handoff.service", "StateDirectoryMode") == "0700"


def test_systemd_waits_until_a_drain_is_over() -> None:
    drain = re.search(r"--drain-timeout (\d+)s", value("handoff.service", "ExecStart"))

    assert drain
    assert int(value("handoff.service", "TimeoutStopSec")) > int(drain[1]) + WORKERS_END_SECONDS


def test_the_service_may_open_what_the_default_of_connections_needs() -> None:
    schema = (DEPLOY.parent / "docs" / "handoff.schema.json").read_text()
    connections = re.search(r"\"Open connections[^\"]*\[(\d+)\]\"", schema)

    assert connections
    assert int(value("handoff.service", "LimitNOFILE")) > int(connections[1]) + 1000
