"""The blocking engine, with the test as its core."""

import logging
import socket
import threading
import time
from types import SimpleNamespace

import pytest
from handoff_worker import Request, Response
from handoff_worker.engine import blocking_engine, watch
from handoff_worker.engine.blocking_engine import BlockingEngine
from handoff_worker.plain.function import BlockingFunction
from handoff_worker.protocol.connection import End
from played_core import PATIENCE, PlayedCore
from running import HELLO, running


def echo(request: Request) -> Response:
    return Response(request.target)


def test_answers_each_request_with_its_id() -> None:
    with running(echo) as run:
        run.core.greet()
        ids = run.core.requests("/a", "/b", "/c")
        responses = run.core.receive_responses(3)
        assert [responses[id].body for id in ids] == [b"/a", b"/b", b"/c"]
        assert responses[ids[0]].head["status"] == 200


def test_writes_the_responses_of_one_read_together(monkeypatch: pytest.MonkeyPatch) -> None:
    # Nobody stands in because the machine held a handler up.
    monkeypatch.setattr(watch, "HELD_UP_SECONDS", PATIENCE)
    with running(echo, concurrency=64) as run:
        run.core.greet()
        run.core.requests(*["/"] * 50)
        first = run.core.receive()
        assert first.type == "response"
        # All that belongs together was in the socket when its first byte was.
        assert run.core._unread.count(b'"response"') == 49


def test_opens_the_window_that_was_asked_for() -> None:
    with running(echo, concurrency=7) as run:
        assert run.core.greet() == 7


def test_widens_the_window_of_a_quick_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()
    # However long the machine takes for it: to the engine no time passes.
    monkeypatch.setattr(blocking_engine, "time", SimpleNamespace(monotonic=lambda: now))
    with running(echo) as run:
        first = run.core.greet()
        for _ in range(20):
            run.core.requests(*["/"] * first)
        windows = []
        for _ in range(20 * first + 1):
            frame = run.core.receive()
            if frame.type == "capacity":
                windows.append(frame.head["concurrency"])
        assert windows[0] == 2 * first


def test_an_exception_is_a_failure_with_its_traceback_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    def divide(request: Request) -> Response:
        return Response(str(1 / 0))

    with running(divide) as run, caplog.at_level(logging.ERROR):
        run.core.greet()
        run.core.request("/x")
        assert run.core.expect("failure").head["message"] == "ZeroDivisionError: division by zero"
    (record,) = caplog.records
    assert record.exc_info is not None and record.exc_info[0] is ZeroDivisionError
    assert record.target == "/x"  # type: ignore[attr-defined]


@pytest.mark.parametrize("exception", [SystemExit(3), GeneratorExit()])
def test_no_exception_ends_the_worker(exception: BaseException) -> None:
    def leave(request: Request) -> Response:
        raise exception

    with running(leave) as run:
        run.core.greet()
        run.core.requests("/", "/")
        assert all(frame.type == "failure" for frame in run.core.receive_responses(2).values())


def test_names_the_function_that_returns_something_else() -> None:
    def forgetful(request: Request) -> Response:
        return None  # type: ignore[return-value]

    with running(forgetful) as run:
        run.core.greet()
        run.core.request()
        message = run.core.expect("failure").head["message"]
        assert "forgetful returned NoneType" in message


def test_a_bad_request_that_a_handler_lets_pass_is_a_400() -> None:
    def parse(request: Request) -> Response:
        return Response.json(request.json())

    with running(parse) as run:
        run.core.greet()
        run.core.request(body=b"{")
        response = run.core.expect("response")
        assert (response.head["status"], response.body) == (400, b"the body is not JSON\n")


def test_fails_a_response_that_is_larger_than_the_core_takes() -> None:
    with running(lambda request: Response(b"x" * int(request.target[1:]))) as run:
        run.core.greet(body_limit=10)
        run.core.requests("/10", "/11")
        responses = run.core.receive_responses(2)
        assert [responses[1].type, responses[2].type] == ["response", "failure"]


def test_carries_large_bodies_both_ways() -> None:
    body = bytes(range(256)) * 40_000
    with running(lambda request: Response(request.body)) as run:
        run.core.greet()
        writer = threading.Thread(target=lambda: run.core.request(body=body))
        writer.start()
        assert run.core.expect("response").body == body
        writer.join(PATIENCE)


def test_answers_pings() -> None:
    with running(echo) as run:
        run.core.greet()
        run.core.send({"type": "ping"})
        run.core.expect("pong")


def test_ignores_what_it_does_not_know() -> None:
    with running(echo) as run:
        run.core.greet()
        run.core.send({"type": "response_window", "id": 1}, b"body")
        run.core.send({"type": "cancel", "id": 99, "reason": "client_gone"})
        run.core.request("/a")
        assert run.core.expect("response").body == b"/a"


def test_goes_on_after_the_drain_of_the_core_until_its_end() -> None:
    with running(echo) as run:
        run.core.greet()
        run.core.requests("/a")
        run.core.send({"type": "drain"})
        assert run.core.receive_responses(1)
        run.core.close()
        assert run.await_end() is End.DRAINED


def test_gives_back_what_crosses_its_own_drain() -> None:
    with running(echo) as run:
        run.core.greet()
        run.engine.leave()
        run.core.expect("drain")
        run.core.request()
        assert run.core.expect("failure").head["retry"] is True
        run.core.close()
        assert run.await_end() is End.LEFT


def test_a_core_that_goes_away_is_lost() -> None:
    with running(echo) as run:
        run.core.greet()
        run.core.close()
        assert run.await_end() is End.LOST


@pytest.mark.parametrize(("last", "end"), [([], End.LOST), ([{"type": "drain"}], End.DRAINED)])
def test_a_core_that_goes_away_before_the_window_opens_has_its_last_word(last: list[dict[str, str]], end: End) -> None:
    ours, theirs = socket.socketpair()
    engine = BlockingEngine(ours, BlockingFunction(echo), concurrency=1, threads=1)
    with ours, PlayedCore(theirs) as core:
        core.welcome()
        assert engine.greet(HELLO)
        core.expect("hello")
        core.send_together(*last)
        core.close()
        engine.serve()
        assert engine.connection.end is end


def test_a_broken_frame_ends_the_connection() -> None:
    with running(echo) as run:
        run.core.greet()
        run.core.send({"no": "type"})
        run.core.expect_end()
        assert run.await_end() is End.LOST


def test_a_core_that_does_not_answer_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocking_engine, "WELCOME_SECONDS", 0.05)
    with running(echo) as run:
        run.core.expect("hello")
        assert run.await_end() is End.LOST


def test_a_core_that_goes_away_before_its_welcome_is_lost() -> None:
    with running(echo) as run:
        run.core.close()
        assert run.await_end() is End.LOST


def test_a_refusal_ends_the_connection() -> None:
    with running(echo) as run:
        run.core.expect("hello")
        run.core.send({"type": "refused", "code": "bad_token", "message": "not you"})
        assert run.await_end() is End.REFUSED


def test_a_version_of_the_protocol_that_it_does_not_speak_ends_the_connection() -> None:
    with running(echo) as run:
        run.core.expect("hello")
        limits = {"jsonBytes": 1, "bodyBytes": 1}
        run.core.send({"type": "welcome", "protocol": 2, "worker": "w", "limits": limits, "server": "s"})
        assert run.await_end() is End.REFUSED
