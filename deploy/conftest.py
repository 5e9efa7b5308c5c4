"""
What most tests share. That it lies here lets them import what they start: pytest puts this folder on the path. Processes are those of the
tests of monitoring.
"""

import os
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "monitoring"))

from behind import proxy, server
from behind.client import Site
from behind.proxy import PROXIES, Proxy
from behind.server import Handoff
from rendering.chart import helm


@pytest.fixture(scope="session")
def held() -> Iterator[socket.socket]:
    with server.listening() as listening:
        yield listening


@pytest.fixture(scope="session")
def handoff(tmp_path_factory: pytest.TempPathFactory, held: socket.socket) -> Iterator[Handoff]:
    with server.run(tmp_path_factory.mktemp("shared") / "handoff", held, server.refusing) as running:
        yield running


@pytest.fixture(params=PROXIES, ids=lambda each: each.program, scope="session")
def installed(request: pytest.FixtureRequest) -> Proxy:
    """Each proxy. Where `scripts/setup test` installs what is missing there is no excuse."""
    found: Proxy = request.param
    if not found.find():
        installs = os.geteuid() == 0 and shutil.which("apt-get")
        (pytest.fail if installs else pytest.skip)(f"{found.program} is not installed")
    return found


@pytest.fixture(scope="session")
def site(
    tmp_path_factory: pytest.TempPathFactory, installed: Proxy, held: socket.socket, handoff: Handoff
) -> Iterator[Site]:
    """The shared Handoff behind each proxy."""
    folder: Path = tmp_path_factory.mktemp("proxy") / installed.program
    with proxy.run(installed, folder, server.port_of(held)) as running:
        yield running


@pytest.fixture(scope="session")
def helm_built() -> None:
    """Before the first test that uses it: it takes a minute where it was never run."""
    done = helm("version")
    if "there is no Go" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
