"""WebSockets pass each proxy, and Handoff knows whose they are."""

from behind.client import ADDRESS, NAME, Site
from live.process import LIMIT_SECONDS
from websockets.sync.client import connect


def test_messages_pass_both_ways(site: Site) -> None:
    with (
        site.connect() as connected,
        connect(f"ws://{NAME}/chat", sock=connected, open_timeout=LIMIT_SECONDS, max_size=None) as client,
    ):
        for message in ("hello", "x" * 500_000):
            client.send(message)
            assert client.recv(LIMIT_SECONDS) == f"{ADDRESS} {message}"
        client.close(4001, "bye")
        assert client.close_code == 4001


def test_no_other_upgrade_passes(site: Site) -> None:
    answer = site.ask("GET", "/", fields={"Upgrade": "h2c", "Connection": "Upgrade, HTTP2-Settings"})
    assert answer.status == 200
    assert "upgrade" not in answer.json()["fields"]
