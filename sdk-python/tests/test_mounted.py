"""Applications below a prefix, behind a trusted proxy: frameworks write addresses that lead back to them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import Serving, serving_config

APPS = ("flask_app", "fast_api", "django_wsgi", "django_asgi")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("mounted")
    site = Path(__file__).parent / "mounted_site.py"
    (folder / site.name).write_text(site.read_text())
    pools = {
        app.replace("_", "-"): {
            "command": f"mounted_site:{app}",
            "routes": [{"path": f"/apps/{app}", "prefix": f"/apps/{app}"}],
        }
        for app in APPS
    }
    (folder / "handoff.json").write_text(json.dumps({"trustedProxy": "127.0.0.1", "pools": pools}))
    with serving_config(folder) as serves:
        yield serves


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_frameworks_write_the_address_that_the_client_knows(server: Serving, app: str, scheme: str) -> None:
    headers = {"Host": "example.org", "X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": scheme}
    address = f"{scheme}://example.org/apps/{app}/where"
    assert server.ask("GET", f"/apps/{app}/where", headers=headers) == (200, address.encode())


@pytest.mark.parametrize("app", APPS)
def test_an_encoded_prefix_is_the_same(server: Serving, app: str) -> None:
    status, body = server.ask("GET", f"/%61pps/{app}/where", headers={"Host": "example.org"})
    assert (status, body) == (200, f"http://example.org/apps/{app}/where".encode())
