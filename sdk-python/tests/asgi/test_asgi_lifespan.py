"""The lifespan protocol of ASGI, with applications that keep to it, know nothing of it, or fail in it."""

import asyncio
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from handoff_worker.asgi import lifespan
from handoff_worker.asgi.lifespan import Lifespan
from handoff_worker.engine.application import StartupFailed

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


def run(app: Any) -> Lifespan:
    """Starts and stops the application."""
    lifespan = Lifespan(app)

    async def both() -> None:
        await lifespan.start()
        await lifespan.stop()

    asyncio.run(both())
    return lifespan


def test_startup_and_shutdown_come_in_order_and_share_a_state() -> None:
    events = []

    async def app(scope: Any, receive: Receive, send: Send) -> None:
        assert scope["type"] == "lifespan"
        scope["state"]["database"] = "open"
        for word in ("startup", "shutdown"):
            events.append((await receive())["type"])
            await send({"type": f"lifespan.{word}.complete"})

    assert run(app).state == {"database": "open"}
    assert events == ["lifespan.startup", "lifespan.shutdown"]


def test_start_returns_only_when_the_startup_is_complete() -> None:
    async def scenario() -> None:
        asked, ready = asyncio.Event(), asyncio.Event()

        async def app(scope: Any, receive: Receive, send: Send) -> None:
            await receive()
            asked.set()
            await ready.wait()
            await send({"type": "lifespan.startup.complete"})

        start = asyncio.create_task(Lifespan(app).start())
        await asked.wait()
        assert not start.done()
        ready.set()
        await start

    asyncio.run(scenario())


@pytest.mark.parametrize("then_raises", [False, True])
def test_startup_that_fails_is_raised_with_its_message(then_raises: bool) -> None:
    async def app(scope: Any, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no database"})
        if then_raises:
            raise OSError("no database")

    with pytest.raises(StartupFailed, match="no database"):
        run(app)


def test_startup_that_raises_is_told_with_its_traceback_and_serves(caplog: pytest.LogCaptureFixture) -> None:
    async def app(scope: Any, receive: Receive, send: Send) -> None:
        await receive()
        raise OSError("no database")

    run(app)
    (record,) = caplog.records
    assert record.levelname == "ERROR" and record.exc_info is not None and "no database" in str(record.exc_info[1])


def test_startup_failed_does_not_hide_what_was_raised(caplog: pytest.LogCaptureFixture) -> None:
    async def app(scope: Any, receive: Receive, send: Send) -> None:
        await receive()
        try:
            raise OSError("no database")
        finally:
            await send({"type": "lifespan.startup.failed"})
            await asyncio.sleep(0)

    with pytest.raises(StartupFailed, match=r"startup\.failed"):
        run(app)
    assert [str(record.exc_info[1]) for record in caplog.records if record.exc_info] == ["no database"]


def test_traceback_in_the_message_of_startup_failed_is_not_told_twice(caplog: pytest.LogCaptureFixture) -> None:
    async def app(scope: Any, receive: Receive, send: Send) -> None:
        await receive()
        try:
            raise OSError("no database")
        except OSError:
            await send({"type": "lifespan.startup.failed", "message": traceback.format_exc()})
            raise

    with pytest.raises(StartupFailed, match="no database"):
        run(app)
    assert not caplog.records


def test_startup_failed_does_not_wait_for_an_application_that_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifespan, "REASON_SECONDS", 0.0)

    async def app(scope: Any, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no database"})
        await asyncio.Event().wait()

    with pytest.raises(StartupFailed, match="no database"):
        run(app)


async def refuses_lifespan(scope: Any, receive: Receive, send: Send) -> None:
    raise AssertionError(f"unknown scope {scope['type']}")


async def ignores_lifespan(scope: Any, receive: Receive, send: Send) -> None:
    return


@pytest.mark.parametrize("app", [refuses_lifespan, ignores_lifespan])
def test_application_without_lifespan_starts(app: Any, caplog: pytest.LogCaptureFixture) -> None:
    run(app)
    assert not [record for record in caplog.records if record.exc_info or record.levelname != "INFO"]


def test_shutdown_that_fails_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def app(scope: Any, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        raise OSError("lost")

    run(app)
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_shutdown_that_never_ends_is_left(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(lifespan, "SHUTDOWN_SECONDS", 0.0)

    async def app(scope: Any, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await asyncio.Event().wait()

    run(app)
    assert [record.levelname for record in caplog.records] == ["ERROR"]
