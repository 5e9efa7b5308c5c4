"""An application that cannot start: said once, and the server ends."""

from pathlib import Path

import pytest
from serving import NO_WORKER, PATIENCE, serving

CANNOT_START = {
    "import": "raise LookupError('not here')",
    "syntax": "def app(:",
    "module": "import no_such_module_at_all",
    "lifespan": (
        "async def app(scope, receive, send):\n"
        "    assert scope['type'] == 'lifespan'\n"
        "    await receive()\n"
        "    await send({'type': 'lifespan.startup.failed', 'message': 'not today'})"
    ),
}


@pytest.mark.parametrize("why", CANNOT_START)
@pytest.mark.parametrize("workers", [1, 2])
def test_ends_with_three_and_says_why_once(tmp_path: Path, why: str, workers: int) -> None:
    (tmp_path / "main.py").write_text(CANNOT_START[why])
    with serving("main:app", folder=tmp_path, workers=workers) as server:
        assert server.process.wait(PATIENCE) == NO_WORKER
        # Of several, one may be tried again before the others have failed.
        assert workers > 1 or server.log.count("default-1 ended") == 1, server.log
        assert workers > 1 or server.log.count("Traceback") <= 1, server.log
        assert server.log.count("no worker has become ready") == 1


def test_watch_waits_for_the_file_that_mends_it(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("raise LookupError('not here')")
    with serving("--watch", "main:app", folder=tmp_path) as server:
        server.await_log("ended before it was ready")
        (tmp_path / "main.py").write_text(
            "from handoff_worker import Response\ndef app(request): return Response('mended')"
        )
        server.await_response("/", b"mended")


def test_a_worker_that_has_served_is_started_again(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        "import os\n"
        "from handoff_worker import Response\n"
        "if os.path.exists('broken'): os.remove('broken'); raise LookupError('once')\n"
        "def app(request):\n"
        "    if request.path == '/end': open('broken', 'w').close(); os._exit(1)\n"
        "    return Response('here')\n"
    )
    with serving("main:app", folder=tmp_path) as server:
        server.await_response("/", b"here")
        assert server.ask("GET", "/end")[0] == 502
        server.await_response("/", b"here")
        server.await_log("LookupError: once")
