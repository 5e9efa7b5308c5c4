"""What a client that leaves does to a request that a thread goes on with."""

import pytest
from played_core import PATIENCE
from test_blocking import running
from test_standing_in import Gate

WINDOW = 16
THREADS = 3


def test_id_is_given_back_at_once_and_the_window_is_smaller_until_the_thread_is_free() -> None:
    gate = Gate()
    with running(gate, window=WINDOW, threads=THREADS) as run:
        assert run.core.greet() == WINDOW
        (left,) = run.core.requests("/wait")
        assert gate.waiting.acquire(timeout=PATIENCE)
        run.core.send({"type": "cancel", "id": left, "reason": "client_gone"})
        assert run.core.expect("failure").head["id"] == left
        assert run.core.expect("capacity").head["concurrency"] == WINDOW - 1
        run.core.request("/others")
        assert run.core.expect("response").body == b"/others"
        gate.open.set()
        assert run.core.expect("capacity").head["concurrency"] == WINDOW


def test_handler_goes_on_and_its_answer_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    gate = Gate()
    with running(gate, window=WINDOW, threads=THREADS) as run:
        run.core.greet()
        left = run.core.request("/wait")
        assert gate.waiting.acquire(timeout=PATIENCE)
        run.core.send({"type": "cancel", "id": left, "reason": "client_gone"})
        assert left in run.core.receive_answers(1)
        gate.open.set()
        run.core.expect("capacity")
        run.core.expect("capacity")
        run.core.request("/next")
        assert run.core.expect("response").body == b"/next"
        assert gate.reasons[0] == "client_gone"
        assert not caplog.records


def test_request_past_its_deadline_keeps_its_id() -> None:
    gate = Gate()
    with running(gate, window=WINDOW, threads=THREADS) as run:
        run.core.greet()
        late = run.core.request("/wait")
        assert gate.waiting.acquire(timeout=PATIENCE)
        run.core.send({"type": "cancel", "id": late, "reason": "deadline"})
        run.core.request("/behind")
        assert run.core.expect("response").body == b"/behind"
        gate.open.set()
        assert run.core.expect("response").head["id"] == late
