"""The asyncio engine, with the test as its core."""

import asyncio
import contextvars
import logging
import threading

import pytest
from handoff_worker import Request, Response
from handoff_worker.engine import asyncio_engine, cancel_grace
from handoff_worker.protocol.connection import End
from played_core import PATIENCE
from running_async import running


async def echo(request: Request) -> Response:
    return Response(request.target)


def test_answers_each_request_with_its_id() -> None:
    with running(echo, concurrency=5) as run:
        assert run.core.greet() == 5
        ids = run.core.requests("/a", "/b", "/c")
        responses = run.core.receive_responses(3)
        assert [responses[id].body for id in ids] == [b"/a", b"/b", b"/c"]


def test_a_request_that_waits_delays_nobody() -> None:
    gates: list[asyncio.Future[None]] = []

    async def wait(request: Request) -> Response:
        if request.path == "/wait":
            gates.append(asyncio.get_running_loop().create_future())
            await gates[0]
        elif request.path == "/open":
            gates[0].set_result(None)
        return Response(request.path)

    with running(wait) as run:
        run.core.greet()
        run.core.requests("/wait", "/other")
        assert run.core.expect("response").body == b"/other"
        run.core.request("/open")
        assert {frame.body for frame in run.core.receive_responses(2).values()} == {b"/open", b"/wait"}


def test_writes_the_responses_of_one_turn_together() -> None:
    """Also of tasks that do not start at once, as before Python 3.12."""

    async def later(request: Request) -> Response:
        await asyncio.sleep(0)
        return Response("x")

    with running(later) as run:
        run.core.greet()
        run.core.requests(*["/"] * 50)
        assert run.core.receive().type == "response"
        assert run.core._unread.count(b'"response"') == 49


def test_a_cancel_cancels_the_coroutine_and_is_answered() -> None:
    seen: list[str | None] = []

    async def wait(request: Request) -> Response:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            seen.append(request.cancelled)
        return Response("never")

    with running(wait) as run:
        run.core.greet()
        request_id = run.core.request()
        run.core.send({"type": "ping"})
        run.core.expect("pong")
        run.core.send({"type": "cancel", "id": request_id, "reason": "deadline"})
        failure = run.core.expect("failure")
        assert failure.head["id"] == request_id
        assert "deadline" in failure.head["message"]
        assert seen == ["deadline"]


def test_a_cancel_that_comes_with_its_request_is_answered() -> None:
    with running(echo) as run:
        run.core.greet()
        run.core.send_together(run.core.request_head(1, "/"), {"type": "cancel", "id": 1, "reason": "client_gone"})
        frame = run.core.receive()
        assert (frame.type in ("failure", "response"), frame.head["id"]) == (True, 1)
        run.core.expect_pong()


def test_a_coroutine_that_goes_on_after_its_cancel_is_given_up_and_may_finish(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cancel_grace, "CANCEL_GRACE_SECONDS", 0.0)
    gates: list[asyncio.Future[None]] = []
    finished = threading.Event()

    async def hold_on(request: Request) -> Response:
        loop = asyncio.get_running_loop()
        gates.append(loop.create_future())
        try:
            await loop.create_future()
        finally:
            await gates[0]
            finished.set()
        return Response("never")

    with running(hold_on) as run:
        run.core.greet()
        request_id = run.core.request()
        run.core.send({"type": "ping"})
        run.core.expect("pong")
        run.core.send({"type": "cancel", "id": request_id, "reason": "client_gone"})
        failure = run.core.expect("failure")
        assert failure.head["id"] == request_id
        assert "given up" in failure.head["message"] and "client_gone" in failure.head["message"]
        gates[0].get_loop().call_soon_threadsafe(gates[0].set_result, None)
        assert finished.wait(PATIENCE)


def test_the_end_of_the_connection_cancels_what_is_in_flight() -> None:
    ended = threading.Event()
    seen: list[str | None] = []

    async def wait(request: Request) -> Response:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            seen.append(request.cancelled)
            ended.set()
        return Response("never")

    with running(wait) as run:
        run.core.greet()
        run.core.request()
        run.core.send({"type": "ping"})
        run.core.expect("pong")
        run.core.close()
        assert ended.wait(PATIENCE)
        assert seen == ["client_gone"]
        assert run.await_end() is End.LOST


def test_an_exception_is_a_failure_with_its_traceback_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def divide(request: Request) -> Response:
        return Response(str(1 / 0))

    with running(divide) as run, caplog.at_level(logging.ERROR):
        run.core.greet()
        run.core.request("/x")
        assert run.core.expect("failure").head["message"] == "ZeroDivisionError: division by zero"
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [ZeroDivisionError]


def test_the_context_variables_of_a_request_are_its_own() -> None:
    current = contextvars.ContextVar("current", default="nobody's")

    async def see(request: Request) -> Response:
        before = current.get()
        current.set(request.path)
        await asyncio.sleep(0)
        return Response(f"{before} {current.get()}")

    with running(see) as run:
        run.core.greet()
        ids = run.core.requests("/a", "/b")
        responses = run.core.receive_responses(2)
        assert [responses[id].body for id in ids] == [b"nobody's /a", b"nobody's /b"]


def test_a_callback_for_a_cancel_has_the_context_variables_of_its_request() -> None:
    current = contextvars.ContextVar("current", default="nobody's")
    seen: list[str] = []

    def told(reason: str) -> None:
        seen.append(current.get())
        current.set("the callback's")

    async def handle(request: Request) -> Response:
        if request.path == "/wait":
            current.set("its own")
            request.on_cancel(told)
            await asyncio.get_running_loop().create_future()
        return Response(current.get())

    with running(handle) as run:
        run.core.greet()
        request_id = run.core.request("/wait")
        run.core.expect_pong()
        run.core.cancel(request_id)
        run.core.expect("failure")
        run.core.request("/later")
        assert run.core.expect("response").body == b"nobody's"
        assert seen == ["its own"]


def test_a_handler_may_use_what_needs_a_task() -> None:
    async def in_time(request: Request) -> Response:
        task = asyncio.current_task()
        assert task is not None
        return Response(await asyncio.wait_for(asyncio.sleep(0, "slept"), 10))

    with running(in_time) as run:
        run.core.greet()
        run.core.request()
        assert run.core.expect("response").body == b"slept"


def test_gives_back_what_crosses_its_own_drain_and_finishes_what_it_has() -> None:
    gates: list[asyncio.Future[None]] = []

    async def wait(request: Request) -> Response:
        gates.append(asyncio.get_running_loop().create_future())
        await gates[0]
        return Response("finished")

    with running(wait) as run:
        run.core.greet()
        first = run.core.request()
        run.core.send({"type": "ping"})
        run.core.expect("pong")
        run.leave()
        run.core.expect("drain")
        second = run.core.request()
        failure = run.core.expect("failure")
        assert (failure.head["id"], failure.head["retry"]) == (second, True)
        gates[0].get_loop().call_soon_threadsafe(gates[0].set_result, None)
        assert run.core.expect("response").head["id"] == first
        run.core.close()
        assert run.await_end() is End.LEFT


def test_carries_large_bodies_both_ways() -> None:
    body = bytes(range(256)) * 40_000

    async def mirror(request: Request) -> Response:
        return Response(request.body)

    with running(mirror) as run:
        run.core.greet()
        writer = threading.Thread(target=lambda: run.core.request(body=body))
        writer.start()
        assert run.core.expect("response").body == body
        writer.join(PATIENCE)


def test_a_broken_frame_ends_the_connection() -> None:
    with running(echo) as run:
        run.core.greet()
        run.core.send({"no": "type"})
        run.core.expect_end()
        assert run.await_end() is End.LOST


def test_a_core_that_does_not_answer_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asyncio_engine, "WELCOME_SECONDS", 0.05)
    with running(echo) as run:
        run.core.expect("hello")
        assert run.await_end() is End.LOST


def test_a_refusal_ends_the_connection() -> None:
    with running(echo) as run:
        run.core.expect("hello")
        run.core.send({"type": "refused", "code": "bad_token", "message": "not you"})
        run.core.close()
        assert run.await_end() is End.REFUSED
