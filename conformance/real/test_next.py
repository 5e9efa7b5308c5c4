"""Next.js's production server: pages, an API route and static files, as `next start` serves them itself."""

import os
import re
import shutil
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
import requests
from served import APPLICATIONS, MODULES, free_port, handoff, own_server

Seen = tuple[int, str | None, str]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("next") / "app"
    shutil.copytree(APPLICATIONS / "next", folder)
    (folder / "node_modules").symlink_to(MODULES)
    environment = {**os.environ, "NEXT_TELEMETRY_DISABLED": "1"}
    subprocess.run(["npx", "--no-install", "next", "build", "--webpack"], cwd=folder, env=environment, check=True)
    return folder


def assert_streams(url: str) -> None:
    """The page comes while a part of it still waits, here for another request."""
    with requests.get(f"{url}/slow", stream=True, timeout=60) as response:
        assert response.headers["transfer-encoding"] == "chunked"
        parts = response.iter_content(None)
        came = b""
        while b"one moment" not in came:
            came += next(parts)
        assert b"the slow part" not in came
        assert requests.post(f"{url}/api/go", timeout=60).text == "gone"
        came += b"".join(parts)
        assert b"the slow part" in came and b"</html>" in came


def visit(server: AbstractContextManager[str]) -> list[Seen]:
    with server as url:
        page = requests.get(url, timeout=60)
        assert "a static page" in page.text
        script = re.search(r'src="(/_next/static/[^"]+\.js)"', page.text)
        assert script
        item = requests.get(f"{url}/items/7?q=%C3%A9", timeout=60)
        assert "é" in item.text
        answers = [
            page,
            item,
            requests.get(f"{url}/api/echo?a=1&b=%2F", cookies={"c": "d"}, timeout=60),
            requests.post(f"{url}/api/echo", data="x" * 100_000, timeout=60),
            requests.put(f"{url}/api/echo", data="x", timeout=60),
            requests.get(url + script[1], timeout=60),
            requests.get(f"{url}/file.txt", timeout=60),
            requests.get(f"{url}/nothing", timeout=60),
        ]
        assert_streams(url)
        return [(each.status_code, each.headers.get("content-type"), each.text) for each in answers]


def test_next(built: Path) -> None:
    variables = {"NEXT_TELEMETRY_DISABLED": "1"}
    served = visit(handoff("--", "npx", "--no-install", "next", "start", cwd=built, environment=variables))
    port = free_port()
    words = ("npx", "--no-install", "next", "start", "--port", str(port))
    own = visit(own_server(*words, port=port, cwd=built, environment=variables))
    print("Next.js:", [status for status, _, _ in served])
    assert served == own
