"""New code, new workers and a new Handoff behind each proxy, while clients ask without pause."""

from pathlib import Path

from behind import load, proxy, server
from behind.client import Site
from behind.load import ASKED, Load
from behind.proxy import CADDY, Proxy
from behind.server import Handoff
from live.ports import free_ports
from live.process import until

FIRST, SECOND = "127.0.0.1", "127.0.0.3"


def assert_nothing_was_lost(counted: Load) -> None:
    assert counted.troubles == []
    assert set(counted.answers) == {200}, counted.answers


def test_a_reload_loses_nothing(site: Site, handoff: Handoff) -> None:
    with load.constant(site) as counted:
        for _ in range(2):
            handoff.reload()
            counted.await_more()

    assert_nothing_was_lost(counted)


def test_a_restart_behind_a_socket_that_is_held_loses_nothing(tmp_path: Path, installed: Proxy) -> None:
    """As with `systemctl restart`: the next one starts when the last has ended."""
    with (
        server.listening() as held,
        proxy.run(installed, tmp_path / "proxy", server.port_of(held)) as site,
        server.run(tmp_path / "first", held) as first,
        load.constant(site) as counted,
    ):
        assert first.drain() == 0
        with server.run(tmp_path / "second", held) as second:
            counted.await_more()
            assert second.requests_seen()
            counted.stop()

    assert_nothing_was_lost(counted)


def test_an_overlapping_restart_loses_nothing(tmp_path: Path, installed: Proxy) -> None:
    with (
        server.listening() as held,
        server.run(tmp_path / "first", held) as first,
        proxy.run(installed, tmp_path / "proxy", server.port_of(held)) as site,
        load.constant(site) as counted,
        server.run(tmp_path / "second", held) as second,
    ):
        assert first.drain() == 0
        counted.await_more()
        assert second.requests_seen()
        counted.stop()

    assert_nothing_was_lost(counted)


def test_the_end_of_one_of_two_loses_nothing(tmp_path: Path, installed: Proxy) -> None:
    port, admin_port = free_ports(2)
    ports = {"port": port, "adminPort": admin_port}
    asked = ASKED[:1] if installed is CADDY else ASKED  # up to 2.11.1 it closes the body of the first try
    two_servers = proxy.with_second(installed, ports["port"], ports["adminPort"], SECOND)
    with (
        server.run(tmp_path / "one", None, settings={"host": FIRST, **ports}) as one,
        server.run(tmp_path / "two", None, settings={"host": SECOND, "adminHost": SECOND, **ports}) as two,
        proxy.run(installed, tmp_path / "proxy", ports["port"], two_servers) as site,
        load.constant(site, asked) as counted,
    ):
        until(lambda: (one.requests_seen() and two.requests_seen()) or None, "requests go to both")
        assert one.drain() == 0
        counted.await_more()
        counted.stop()

    assert_nothing_was_lost(counted)
