"""How each proxy treats its connections to Handoff."""

from pathlib import Path

from behind import proxy, server
from behind.client import Site
from behind.proxy import Proxy
from behind.server import Handoff
from live.process import until


def test_many_clients_share_a_connection(site: Site, handoff: Handoff) -> None:
    before = handoff.connections()["accepted"]

    assert [site.ask("GET", "/").status for _ in range(50)] == [200] * 50

    assert handoff.connections()["accepted"] - before <= 1


def test_an_idle_connection_is_given_up_by_the_proxy_before_handoff_does(tmp_path: Path, installed: Proxy) -> None:
    with (
        server.listening() as held,
        server.run(tmp_path / "handoff", held, settings={"idleTimeout": "20s"}) as handoff,
        proxy.run(
            installed, tmp_path / "proxy", server.port_of(held), {installed.long_idle: installed.short_idle}
        ) as site,
    ):
        assert site.ask("GET", "/").status == 200
        until(lambda: handoff.connections()["open"] == 0 or None, "no connection is open")

        closed = handoff.connections()["closed"]
        assert closed["client_closed"] + closed["reset"] == 1, closed
        assert closed["idle_timeout"] == 0
