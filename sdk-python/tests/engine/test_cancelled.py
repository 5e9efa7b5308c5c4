"""A client that leaves, while every thread of its worker is busy."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Any

import pytest
from handoff_worker import Request, Response
from handoff_worker.engine import watch
from handoff_worker.protocol.connection import End
from handoff_worker.wsgi.application import WsgiApplication
from played_core import PATIENCE, PlayedCore
from running import Gate, running

CONCURRENCY = 16
THREADS = pytest.mark.parametrize("threads", [1, 3])


def fill(core: PlayedCore, gate: Gate, threads: int) -> list[int]:
    """Has each thread wait at the gate."""
    ids = [core.request("/wait") for _ in range(threads)]
    for _ in ids:
        assert gate.waiting.acquire(timeout=PATIENCE)
    return ids


@THREADS
@pytest.mark.parametrize("reason", ["client_gone", "deadline"])
def test_handler_that_is_told_so_keeps_its_id_until_it_is_done(threads: int, reason: str) -> None:
    begun = threading.Semaphore(0)
    told = threading.Event()
    done = threading.Event()

    def handle(request: Request) -> Response:
        begun.release()
        request.on_cancel(lambda reason: told.set())
        assert done.wait(PATIENCE)
        return Response(request.cancelled or "in time")

    with running(handle, CONCURRENCY, threads) as run:
        run.core.greet()
        first, *others = [run.core.request() for _ in range(threads)]
        for _ in range(threads):
            assert begun.acquire(timeout=PATIENCE)
        run.core.send({"type": "cancel", "id": first, "reason": reason})
        assert told.wait(PATIENCE)
        done.set()
        bodies = {id: frame.body for id, frame in run.core.receive_responses(threads).items()}
        assert bodies == {first: reason.encode()} | dict.fromkeys(others, b"in time")


@THREADS
def test_request_that_nobody_has_begun_with_is_answered_at_once_and_never_begun(threads: int) -> None:
    gate = Gate()
    with running(gate, CONCURRENCY, threads) as run:
        run.core.greet()
        busy = fill(run.core, gate, threads)
        left, stayed = run.core.requests("/left", "/stayed")
        run.core.send({"type": "cancel", "id": left, "reason": "client_gone"})
        failure = run.core.expect("failure").head
        assert (failure["id"], failure.get("retry")) == (left, None)
        gate.open.set()
        assert set(run.core.receive_responses(threads + 1)) == {*busy, stayed}
        assert len(gate.reasons) == threads + 1


def test_a_cancel_that_comes_with_its_request_spares_the_handler() -> None:
    gate = Gate()
    with running(gate, CONCURRENCY) as run:
        run.core.greet()
        heads = [run.core.request_head(id, "/") for id in (1, 2)]
        run.core.send_together(*heads, {"type": "cancel", "id": 1, "reason": "client_gone"})
        assert {id: frame.type for id, frame in run.core.receive_responses(2).items()} == {1: "failure", 2: "response"}
        assert len(gate.reasons) == 1


@THREADS
def test_what_nobody_has_begun_with_is_given_back_at_once_by_a_worker_that_leaves(threads: int) -> None:
    gate = Gate()
    with running(gate, CONCURRENCY, threads) as run:
        run.core.greet()
        fill(run.core, gate, threads)
        before = run.core.request("/before")
        run.engine.leave()
        run.core.expect("drain")
        behind = run.core.request("/behind")
        given_back = run.core.receive_responses(2)
        assert {id: frame.head.get("retry") for id, frame in given_back.items()} == {before: True, behind: True}
        gate.open.set()
        assert len(run.core.receive_responses(threads)) == threads
        run.core.close()
        assert run.await_end() is End.LEFT


@THREADS
def test_what_comes_while_all_are_busy_is_handled_when_one_is_free(threads: int) -> None:
    gate = Gate()
    with running(gate, CONCURRENCY, threads) as run:
        run.core.greet()
        for _ in range(5):
            gate.open.clear()
            fill(run.core, gate, threads)
            later = [run.core.request("/later") for _ in range(3)]
            gate.open.set()
            assert set(later) < set(run.core.receive_responses(threads + 3))
        assert gate.most_inside <= threads


def test_a_single_thread_is_always_the_same() -> None:
    """What it keeps, such as a connection of sqlite3, may refuse others."""
    gate = Gate()
    handlers = set()

    def handle(request: Request) -> Response:
        handlers.add(threading.current_thread())
        return gate(request)

    with running(handle, CONCURRENCY) as run:
        run.core.greet()
        for _ in range(3):
            gate.open.clear()
            fill(run.core, gate, 1)
            run.core.requests("/a", "/b")
            gate.open.set()
            run.core.receive_responses(3)
        assert handlers == {run.thread}


@THREADS
def test_the_end_of_the_connection_reaches_handlers(threads: int) -> None:
    told = threading.Semaphore(0)

    def handle(request: Request) -> Response:
        here = threading.Event()
        request.on_cancel(lambda reason: here.set())
        assert here.wait(PATIENCE)
        told.release()
        return Response("nobody reads this")

    with running(handle, CONCURRENCY, threads) as run:
        run.core.greet()
        run.core.requests(*["/"] * threads)
        run.core.close()
        assert run.await_end() is End.LOST
        for _ in range(threads):
            assert told.acquire(timeout=PATIENCE)


@THREADS
def test_a_callback_that_fails_costs_nobody_else_anything(threads: int, caplog: pytest.LogCaptureFixture) -> None:
    gate = Gate()

    def handle(request: Request) -> Response:
        request.on_cancel(lambda reason: 1 / 0)  # type: ignore[func-returns-value, arg-type, return-value]
        return gate(request)

    with running(handle, CONCURRENCY, threads) as run:
        run.core.greet()
        first, *_ = fill(run.core, gate, threads)
        left = run.core.request("/left")
        run.core.send({"type": "cancel", "id": first, "reason": "client_gone"})
        run.core.send({"type": "cancel", "id": left, "reason": "client_gone"})
        assert run.core.expect("failure").head["id"] == left
        gate.open.set()
        assert len(run.core.receive_responses(threads)) == threads
    assert [record.message for record in caplog.records] == ["a function that was to be called on a cancel failed"]


@THREADS
def test_a_generator_of_wsgi_is_closed_at_its_next_part(threads: int) -> None:
    begun = threading.Semaphore(0)
    may_go_on = threading.Event()
    closed = threading.Event()

    def app(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        start_response("200 OK", [])
        return parts()

    def parts() -> Iterator[bytes]:
        try:
            yield b"one"
            begun.release()
            while not may_go_on.wait(0.001):
                yield b"more"
            yield b"last"
        finally:
            closed.set()

    with running(WsgiApplication(app, "app", multithread=threads > 1), CONCURRENCY, threads) as run:
        run.core.greet()
        first, *others = [run.core.request() for _ in range(threads)]
        for _ in range(threads):
            assert begun.acquire(timeout=PATIENCE)
        run.core.send({"type": "cancel", "id": first, "reason": "client_gone"})
        assert closed.wait(PATIENCE)
        assert run.core.expect("failure").head["id"] == first
        may_go_on.set()
        assert set(run.core.receive_responses(threads - 1)) == set(others)


@THREADS
def test_write_of_wsgi_raises_so_that_an_endless_loop_over_it_ends(
    threads: int, caplog: pytest.LogCaptureFixture
) -> None:
    over = threading.Event()

    def app(environ: dict[str, Any], start_response: Callable[..., Callable[[bytes], None]]) -> list[bytes]:
        write = start_response("200 OK", [])
        while environ["PATH_INFO"] == "/endless" and not over.is_set():
            write(bytes(1000))
        return [b"well"]

    with running(WsgiApplication(app, "app", multithread=threads > 1), CONCURRENCY, threads) as run:
        run.core.greet(stream_bytes=64 * 1024)
        endless = [run.core.request("/endless") for _ in range(threads)]
        begun: set[int] = set()
        while len(begun) < threads:
            frame = run.core.receive()
            begun |= {frame.head["id"]} if frame.type == "response" else set()
        for each in endless:
            run.core.cancel(each)
        later = run.core.request("/later")
        try:
            while (frame := run.core.receive()).head.get("id") != later:
                pass
        finally:
            over.set()
        assert frame.body == b"well"
    assert not caplog.records, "to give up because the client did is no fault"


@THREADS
def test_a_callback_has_the_context_variables_of_its_request(threads: int) -> None:
    current = ContextVar("current", default="nobody's")
    begun, told = threading.Event(), threading.Event()
    seen: list[str] = []

    def note(reason: str) -> None:
        seen.append(current.get())
        told.set()

    def handle(request: Request) -> Response:
        current.set("its own")
        request.on_cancel(note)
        begun.set()
        assert told.wait(PATIENCE)
        return Response("well")

    with running(handle, CONCURRENCY, threads) as run:
        run.core.greet()
        request_id = run.core.request()
        assert begun.wait(PATIENCE)
        run.core.cancel(request_id)
        assert set(run.core.receive_responses(1)) == {request_id}
        assert seen == ["its own"]


class Gates:
    """A handler that waits at each target until that may go on, and notes what it was called for."""

    def __init__(self, *targets: str) -> None:
        self.calls: list[str] = []
        self.begun = {target: threading.Event() for target in targets}
        self.open = {target: threading.Event() for target in targets}

    def __call__(self, request: Request) -> Response:
        self.calls.append(request.target)
        self.begun[request.target].set()
        assert self.open[request.target].wait(PATIENCE)
        return Response(request.target)

    def await_begun(self, target: str) -> None:
        assert self.begun[target].wait(PATIENCE), f"nobody has begun with {target}"


def test_a_thread_that_was_held_up_leaves_the_request_of_the_new_leader_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    gates = Gates("/first", "/second", "/third")
    with running(gates, CONCURRENCY, 2) as run:
        run.core.greet()
        run.core.requests("/first", "/second", "/third")
        gates.await_begun("/first")
        gates.await_begun("/second")
        run.core.send({"type": "cancel", "id": 99, "reason": "client_gone"})
        run.core.send({"type": "ping"})
        run.core.expect("pong")  # the watch has read, since both threads are busy
        monkeypatch.setattr(watch, "HELD_UP_SECONDS", PATIENCE)  # the second thread keeps the lead
        gates.open["/second"].set()
        run.core.expect("response")
        gates.await_begun("/third")
        gates.open["/first"].set()
        run.core.expect("response")
        gates.open["/third"].set()
        run.core.expect("response")
        run.core.send({"type": "ping"})
        run.core.expect("pong")
        assert gates.calls == ["/first", "/second", "/third"]
        assert run.engine.connection.in_flight == {}
