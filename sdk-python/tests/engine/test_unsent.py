"""A core that takes no bytes: what a worker keeps in memory meanwhile, and what becomes of requests whose clients leave."""

import asyncio
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import pytest
from handoff_worker import Request, Response
from handoff_worker.engine.asyncio_engine import MOST_BEGUN
from handoff_worker.protocol.outbox import LARGE_BYTES, MOST_UNSENT_BYTES
from played_core import PATIENCE
from running import running as running_blocking
from running_async import Run
from running_async import running as running_async

MEGABYTE = 1024 * 1024
FILLING = MOST_UNSENT_BYTES // MEGABYTE + 1
"""So many responses of a megabyte are more than may be unsent."""
REQUESTS = 150
"""More than begin in a turn of the loop: before Python 3.12 a handler runs in the turn behind the one in which it begins."""


class Calls:
    """A handler, in both kinds, that counts its calls and answers with a megabyte, or with little at `/small`."""

    def __init__(self) -> None:
        self.targets: list[str] = []
        self.small = threading.Event()

    def block(self, request: Request) -> Response:
        self.targets.append(request.target)
        if request.path == "/small":
            self.small.set()
            return Response("small")
        return Response(b"x" * int(request.path[1:]))

    async def wait(self, request: Request) -> Response:
        return self.block(request)


@contextmanager
def full(calls: Calls) -> Iterator[Run]:
    """An asynchronous worker that was asked for 150 MB, and whose core takes nothing. A `/small` behind them all waits too."""
    with running_async(calls.wait) as run:
        run.core.greet()
        run.core.requests(*[f"/{MEGABYTE}"] * REQUESTS)
        yield run


def settle(run: Run) -> None:
    """Returns when the worker has acted on all that it was sent."""
    assert run._loop is not None
    for _ in range(3):
        asyncio.run_coroutine_threadsafe(_read_all(run), run._loop).result(PATIENCE)


async def _read_all(run: Run) -> None:
    assert run.engine is not None
    before = -1
    while before != (before := run.engine._reader.missing + len(run.engine.connection.in_flight)):
        await asyncio.sleep(0.01)


def test_requests_do_not_begin_while_too_much_is_unsent() -> None:
    calls = Calls()
    with full(calls) as run:
        settle(run)
        assert run.engine is not None
        most = FILLING + 1 if sys.version_info >= (3, 12) else MOST_BEGUN
        assert len(calls.targets) <= most
        assert run.engine.unsent_bytes <= most * MEGABYTE
        responses = run.core.receive_responses(REQUESTS)
        assert {len(frame.body) for frame in responses.values()} == {MEGABYTE}, "all begin when there is room"


def test_a_cancel_takes_back_what_has_not_begun_and_what_has_not_left() -> None:
    calls = Calls()
    with full(calls) as run:
        settle(run)
        begun = len(calls.targets)
        run.core.send_together(
            *({"type": "cancel", "id": id, "reason": "client_gone"} for id in range(1, REQUESTS + 1))
        )
        settle(run)
        assert len(calls.targets) == begun
        small = run.core.request("/small")
        assert calls.small.wait(PATIENCE), "nothing is in the way of others"
        assert run.engine is not None and run.engine.unsent_bytes <= 2 * MEGABYTE
        responses = run.core.receive_responses(REQUESTS + 1)
        assert responses.pop(small).body == b"small"
        kinds = [frame.type for frame in responses.values()]
        assert kinds.count("response") <= 2, "only what was leaving leaves"


def test_nobody_waits_for_all_that_another_client_has_sent_ahead() -> None:
    calls = Calls()
    with full(calls) as run:
        settle(run)
        begun = len(calls.targets)
        small = run.core.request("/small", client="203.0.113.10:1")
        settle(run)
        assert list(run.core.receive_responses(REQUESTS + 1)).index(small) < REQUESTS // 2
        assert calls.targets.index("/small") <= begun + 1


def test_what_has_not_begun_is_given_back_by_a_worker_that_leaves() -> None:
    calls = Calls()
    with full(calls) as run:
        settle(run)
        begun = len(calls.targets)
        run.leave()
        settle(run)
        frames = [run.core.receive() for _ in range(REQUESTS + 1)]
        assert [frame.type for frame in frames].count("drain") == 1
        assert len([frame for frame in frames if frame.head.get("retry")]) == REQUESTS - begun
        assert len(calls.targets) == begun


def test_what_was_kept_begins_with_the_context_variables_of_no_other_request() -> None:
    user = ContextVar("user", default="nobody")

    async def handle(request: Request) -> Response:
        found = user.get()
        user.set(request.path)
        await asyncio.sleep(0)  # so that its own task puts the response
        return Response(found.encode().ljust(MEGABYTE))

    with running_async(handle) as run:
        run.core.greet()
        run.core.requests(*[f"/{i}" for i in range(2 * FILLING)])
        settle(run)
        kept = run.core.requests("/kept", "/kept-too")
        settle(run)
        assert run.engine is not None and len(run.engine._waiting) == len(kept)
        responses = run.core.receive_responses(2 * FILLING + len(kept))
        assert {frame.body.rstrip() for frame in responses.values()} == {b"nobody"}


@pytest.mark.parametrize("size", [LARGE_BYTES, LARGE_BYTES + 1, 256 * 1024, 256 * 1024 + 1])
def test_a_response_of_any_size_arrives_whole(size: int) -> None:
    with running_async(Calls().wait) as run:
        run.core.greet()
        run.core.requests(*[f"/{size}"] * 20)
        assert {len(frame.body) for frame in run.core.receive_responses(20).values()} == {size}


def test_memory_of_a_core_that_is_gone_is_given_back() -> None:
    calls = Calls()
    with full(calls) as run:
        settle(run)
        run.core.close()
        run.await_end()
        assert run.engine is not None
        assert (run.engine._large, len(run.engine._waiting), run.engine._parts) == ({}, 0, [])


@pytest.mark.parametrize("threads", [1, 3])
def test_a_blocking_worker_keeps_requests_while_too_much_is_unsent(threads: int) -> None:
    calls = Calls()
    with running_blocking(calls.block, REQUESTS, threads) as run:
        run.core.greet()
        run.core._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        ids = run.core.requests(*[f"/{MEGABYTE}"] * REQUESTS)
        first = run.core.receive()
        assert len(calls.targets) <= FILLING + threads
        cancels = [{"type": "cancel", "id": id, "reason": "client_gone"} for id in ids]
        run.core.send_together(*cancels)
        responses = run.core.receive_responses(REQUESTS - 1)
        assert {first.head["id"], *responses} == set(ids)
        assert len(calls.targets) <= 2 * FILLING + threads, "a cancel spares the handler"
