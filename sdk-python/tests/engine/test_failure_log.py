"""What is logged of a handler that fails: clients choose how often."""

import logging
from collections.abc import Iterator

import pytest
from handoff_worker.engine.failure_log import (
    MOST_PLACES,
    MOST_REASON_CHARACTERS,
    MOST_TARGET_CHARACTERS,
    SECONDS_BETWEEN_TRACEBACKS,
    Tracebacks,
    tell_failure,
)
from recorded import Outbox, exchange


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tracebacks(clock: Clock) -> Tracebacks:
    return Tracebacks(clock)


@pytest.fixture(autouse=True)
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.ERROR, "handoff"):
        yield


def raised(error: BaseException) -> BaseException:
    try:
        raise error
    except BaseException as caught:  # noqa: BLE001  what is wanted is the traceback
        return caught


def raised_elsewhere(error: BaseException) -> BaseException:
    try:
        raise error
    except BaseException as caught:  # noqa: BLE001
        return caught


def test_a_place_gets_one_traceback_in_a_while(
    clock: Clock, tracebacks: Tracebacks, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        tell_failure(exchange(Outbox()), raised(ValueError("no")), "app", tracebacks)
    assert [record.exc_info is not None for record in caplog.records] == [True, False, False]
    line = caplog.records[2].getMessage()
    assert (
        line.startswith("app failed for GET /: ValueError: no (")
        and "test_failure_log.py:" in line
        and "\n" not in line
    )
    clock.now = SECONDS_BETWEEN_TRACEBACKS
    tell_failure(exchange(Outbox()), raised(ValueError("no")), "app", tracebacks)
    assert caplog.records[-1].exc_info is not None


def test_another_place_or_another_exception_gets_its_own(tracebacks: Tracebacks) -> None:
    errors = [
        raised(ValueError()),
        raised_elsewhere(ValueError()),
        raised(TypeError()),
        raised(ValueError()),
        ValueError(),
    ]
    assert [tracebacks.is_due(error) for error in errors] == [True, True, True, False, True]


def test_only_so_many_places_get_one(clock: Clock, tracebacks: Tracebacks) -> None:
    kinds = [type(f"Error{i}", (Exception,), {}) for i in range(MOST_PLACES + 1)]
    assert [tracebacks.is_due(raised(kind())) for kind in kinds] == [True] * MOST_PLACES + [False]
    clock.now = SECONDS_BETWEEN_TRACEBACKS
    assert tracebacks.is_due(raised(kinds[-1]()))
    assert len(tracebacks._logged) == 1


def test_each_failure_says_whose_request_it_was(tracebacks: Tracebacks, caplog: pytest.LogCaptureFixture) -> None:
    outbox = Outbox()
    for target in ("/a", "/b"):
        tell_failure(exchange(outbox, target=target, requestId="01J9"), raised(KeyError("k")), "app", tracebacks)
    assert [record.__dict__["target"] for record in caplog.records] == ["/a", "/b"]
    assert [record.__dict__["request_id"] for record in caplog.records] == ["01J9", "01J9"]
    assert [kept.failure for kept in outbox.kept] == ["KeyError: 'k'"] * 2


def test_the_query_which_may_hold_secrets_is_left_out(tracebacks: Tracebacks, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        one = exchange(Outbox(), target="/a?token=S3CRET")
        tell_failure(one, raised(KeyError("k")), "app", tracebacks)
    assert [record.__dict__["target"] for record in caplog.records] == ["/a", "/a"]
    assert "S3CRET" not in caplog.text
    assert "failed for GET /a:" in caplog.records[1].getMessage()


def test_what_is_told_of_a_long_message_is_short(tracebacks: Tracebacks) -> None:
    outbox = Outbox()
    tell_failure(exchange(outbox), raised(ValueError("a\n" * 9000)), "app", tracebacks)
    tell_failure(exchange(outbox), raised(ValueError("x" * 9000)), "app", tracebacks)
    many_lines, long_line = (kept.failure for kept in outbox.kept)
    assert many_lines == "ValueError: " + "\n".join("a" * 20) + "… (17960 more characters)"
    assert long_line == "ValueError: " + "x" * 3988 + "… (5012 more characters)"


def test_a_line_is_short_whatever_a_client_sent(tracebacks: Tracebacks, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        tell_failure(
            exchange(Outbox(), target="/" * 9000), raised(ValueError("x" * 9000 + "\nforged")), "a", tracebacks
        )
    line = caplog.records[1].getMessage()
    assert "/" * MOST_TARGET_CHARACTERS in line and "forged" not in line
    assert len(line) < MOST_TARGET_CHARACTERS + MOST_REASON_CHARACTERS + 300
