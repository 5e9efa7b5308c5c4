"""The lifespan protocol of ASGI, with applications that keep to it, know nothing of it, or fail in it."""

import asyncio
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


async def refuses_lifespan(scope: Any, receive: Receive, send: Send) -> None:
    raise AssertionError(f"unknown scope {scope['type']}")


async def ignores_lifespan(scope: Any, receive: Receive, send: Send) -> None:
    return


@pytest.mark.parametrize("app", [refuses_lifespan, ignores_lifespan])
def test_application_without_lifespan_starts(app: Any) -> None:
    run(app)


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
