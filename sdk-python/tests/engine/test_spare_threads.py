"""Threads that take over from one that is held up."""

import threading

from handoff_worker import Request, Response
from handoff_worker.protocol.connection import End
from played_core import PATIENCE
from running import Gate, running


def test_a_request_that_waits_delays_nobody() -> None:
    gate = Gate()
    with running(gate, threads=2) as run:
        run.core.greet()
        first, *_ = run.core.requests("/before", "/wait", "/behind")
        responses = run.core.receive_responses(2)
        assert sorted(frame.body for frame in responses.values()) == [b"/before", b"/behind"]
        assert first in responses
        run.core.request("/later")
        assert run.core.receive_responses(1).popitem()[1].body == b"/later"
        gate.open.set()
        assert run.core.receive_responses(1).popitem()[1].body == b"/wait"


def test_no_more_requests_are_handled_at_once_than_there_are_threads() -> None:
    gate = Gate()
    with running(gate, threads=3) as run:
        run.core.greet()
        run.core.requests(*["/wait"] * 5)
        for _ in range(3):
            assert gate.waiting.acquire(timeout=PATIENCE)
        gate.open.set()
        assert len(run.core.receive_responses(5)) == 5
        assert gate.most_inside == 3


def test_what_was_answered_leaves_though_the_only_thread_waits() -> None:
    gate = Gate()
    with running(gate, threads=1) as run:
        run.core.greet()
        run.core.requests("/before", "/wait", "/behind")
        assert run.core.receive_responses(1).popitem()[1].body == b"/before"
        gate.open.set()
        assert len(run.core.receive_responses(2)) == 2


def test_a_thread_that_was_relieved_stands_in_for_others_later() -> None:
    gate = Gate()
    with running(gate, threads=2) as run:
        run.core.greet()
        for _ in range(5):
            gate.open.clear()
            run.core.requests("/wait", "/behind")
            assert run.core.receive_responses(1).popitem()[1].body == b"/behind"
            gate.open.set()
            assert run.core.receive_responses(1).popitem()[1].body == b"/wait"


def test_a_handler_sees_its_cancel_and_is_answered_all_the_same() -> None:
    gate = Gate()
    with running(gate, concurrency=16, threads=2) as run:
        run.core.greet()
        request_id = run.core.request("/wait")
        assert gate.waiting.acquire(timeout=PATIENCE)
        run.core.send({"type": "cancel", "id": request_id, "reason": "deadline"})
        run.core.send({"type": "ping"})  # answered after the cancel was read
        run.core.expect("pong")
        gate.open.set()
        assert request_id in run.core.receive_responses(1)
        assert gate.reasons == ["deadline"]


def test_the_end_of_the_connection_reaches_handlers_that_wait() -> None:
    told = threading.Event()

    def wait(request: Request) -> Response:
        request.on_cancel(lambda reason: told.set())
        assert told.wait(PATIENCE)
        return Response("nobody reads this")

    with running(wait, threads=3) as run:
        run.core.greet()
        run.core.requests("/", "/")
        run.core.close()
        assert told.wait(PATIENCE)
        assert run.await_end() is End.LOST
