"""What responses in parts may take together in one worker, at the limit and one byte past it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from handoff_worker.__main__ import _parse
from handoff_worker.asgi.application import AsgiApplication
from handoff_worker.gateway.gathering_budget import MOST_BYTES, GatheringBudget, GatheringBudgetExceeded
from handoff_worker.wsgi.application import WsgiApplication
from recorded import Kept, Outbox, exchange
from serving import serving
from worker_processes import Listener

MOST = 100


def wsgi_response(budget: GatheringBudget, outbox: Outbox, *sizes: int, closed: list[str] | None = None) -> Kept:
    def app(environ: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [])
        return parts()

    def parts() -> Iterator[bytes]:
        try:
            for size in sizes:
                yield b"x" * size
        finally:
            if closed is not None:
                closed.append("closed")

    WsgiApplication(app, "app", multithread=True, budget=budget).begin(exchange(outbox))
    return outbox.kept[-1]


def asgi(budget: GatheringBudget, *sizes: int, between: Any = None) -> AsgiApplication:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})
        for size in sizes:
            await send({"type": "http.response.body", "body": b"x" * size, "more_body": True})
            if between is not None:
                await between()
        await send({"type": "http.response.body"})

    return AsgiApplication(app, "app", budget)


def test_wsgi_may_fill_it_and_gives_it_back() -> None:
    budget, outbox = GatheringBudget(MOST), Outbox(body_limit=1000)
    for _ in range(3):
        assert len(wsgi_response(budget, outbox, 60, 40).body) == MOST


def test_wsgi_is_refused_one_byte_past_it_and_closed() -> None:
    budget, outbox, closed = GatheringBudget(MOST), Outbox(body_limit=1000), list[str]()
    with pytest.raises(GatheringBudgetExceeded, match=r"101 bytes together, of 100 \(--max-gathered\)"):
        wsgi_response(budget, outbox, 60, 41, closed=closed)
    assert (outbox.only.status, dict(outbox.only.headers)["retry-after"]) == (503, "1")
    assert closed == ["closed"]
    assert wsgi_response(budget, outbox, 60, 40).status == 200


def test_a_response_in_one_part_is_not_counted() -> None:
    assert wsgi_response(GatheringBudget(1), Outbox(body_limit=1000), 500).status == 200


def test_requests_of_asgi_share_it_and_give_it_back() -> None:
    async def ask() -> list[Kept]:
        may_end = asyncio.Event()
        budget, outbox = GatheringBudget(MOST), Outbox(body_limit=1000)
        waits = asgi(budget, MOST, between=may_end.wait)
        waits.begin(exchange(outbox))
        await asyncio.sleep(0)
        refused = asgi(budget, 1)
        refused.begin(exchange(outbox))
        await refused.stop()
        may_end.set()
        await waits.stop()
        after = asgi(budget, MOST)
        after.begin(exchange(outbox))
        await after.stop()
        return outbox.kept

    refused, waited, after = asyncio.run(ask())
    assert [refused.status, waited.status, after.status] == [503, 200, 200]
    assert len(waited.body) == MOST


def test_asgi_gives_it_back_when_its_client_leaves() -> None:
    async def ask() -> Kept:
        budget, outbox = GatheringBudget(MOST), Outbox(body_limit=1000)
        waits = asgi(budget, MOST, between=asyncio.Event().wait)
        left = exchange(outbox)
        waits.begin(left)
        await asyncio.sleep(0)
        left.cancel("client_gone")
        other = asgi(budget, MOST)
        other.begin(exchange(outbox))
        await other.stop()
        for call in waits._running:
            assert call.task is not None
            call.task.cancel()
        return outbox.kept[0]

    assert asyncio.run(ask()).status == 200


def test_what_the_core_has_not_taken_counts_too() -> None:
    outbox = Outbox(body_limit=1000, unsent_bytes=41)
    with pytest.raises(GatheringBudgetExceeded):
        wsgi_response(GatheringBudget(MOST), outbox, 30, 30)
    outbox.unsent_bytes = 40
    assert wsgi_response(GatheringBudget(MOST), outbox, 30, 30).status == 200


def test_one_response_of_the_largest_size_fits_by_default() -> None:
    budget, outbox = GatheringBudget(), Outbox(body_limit=MOST_BYTES + 1)
    budget.take(exchange(outbox), MOST_BYTES + 1)
    with pytest.raises(GatheringBudgetExceeded):
        budget.take(exchange(outbox), 1)


@pytest.mark.parametrize(("text", "size"), [("65536", 65536), ("512KiB", 512 * 1024), ("1GiB", 1024**3)])
def test_the_option_takes_sizes_as_the_core_does(text: str, size: int) -> None:
    assert _parse(["app", "--max-gathered", text]).max_gathered == size


@pytest.mark.parametrize("text", ["0", "-1", "64MB", "1.5GiB", "", "٣MiB"])
def test_the_option_refuses_what_is_no_size(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        _parse(["app", "--max-gathered", text])
    assert "is not a size such as" in capsys.readouterr().err


PARTS = (
    "async def app(scope, receive, send):\n"
    "    assert scope['type'] == 'http'\n"
    "    await send({'type': 'http.response.start', 'status': 200})\n"
    "    for _ in range(int(scope['path'][1:])):\n"
    "        await send({'type': 'http.response.body', 'body': b'x' * 1024, 'more_body': True})\n"
    "    await send({'type': 'http.response.body'})\n"
)


def test_a_client_of_an_older_core_gets_503_and_the_developer_the_option(tmp_path: Path, listener: Listener) -> None:
    (tmp_path / "main.py").write_text(PARTS)
    file = f"{tmp_path / 'main.py'}:app"
    worker = listener.start_command("-m", "handoff_worker", file, "--max-gathered", "64KiB")
    core = listener.accept()
    core.greet()
    for parts, status in (("/64", 200), ("/65", 503), ("/64", 200)):
        core.request(parts)
        assert core.expect("response").head["status"] == status
    core.close()
    _, log = worker.communicate()
    assert "GatheringBudgetExceeded: " in log and "--max-gathered" in log


def test_it_bounds_nothing_where_the_core_takes_pieces(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(PARTS)
    with serving("main:app", "--", "--max-gathered", "64KiB", folder=tmp_path) as server:
        assert server.ask("GET", "/5000") == (200, b"x" * 5000 * 1024)
