"""WebSockets pass each proxy, and Handoff knows whose they are."""

import asyncio

from behind.client import ADDRESS, NAME, Site
from live.process import LIMIT_SECONDS
from websockets.asyncio.client import connect


def test_messages_pass_both_ways(site: Site) -> None:
    asyncio.run(asyncio.wait_for(talk(site), LIMIT_SECONDS))


async def talk(site: Site) -> None:
    """On a loop: two threads that read and write one TLS connection lose bytes now and then, before Python 3.13."""
    async with connect(
        f"wss://{NAME}/chat",
        host="127.0.0.1",
        port=site.port,
        local_addr=(ADDRESS, 0),
        ssl=site.trust(),
        server_hostname=NAME,
        proxy=None,
        max_size=None,
    ) as client:
        for message in ("hello", "x" * 500_000):
            await client.send(message)
            assert await client.recv() == f"{ADDRESS} {message}"
        await client.close(4001, "bye")
        assert client.close_code == 4001


def test_no_other_upgrade_passes(site: Site) -> None:
    answer = site.ask("GET", "/", fields={"Upgrade": "h2c", "Connection": "Upgrade, HTTP2-Settings"})
    assert answer.status == 200
    assert "upgrade" not in answer.json()["fields"]
