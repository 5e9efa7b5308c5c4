"""What an engine runs: a plain function, a WSGI or an ASGI application, each behind the same three methods."""

from typing import Protocol

from handoff_worker.protocol.exchange import Exchange


class StartupFailed(Exception):
    """Raised by `start` when the application itself says that it cannot start. The message says why, for the log."""


class BlockingApplication(Protocol):
    """
    An application whose `begin` returns when the request is answered. The blocking engine runs it.

    An engine with several threads calls `begin` on more than one of them at a time.
    """

    name: str
    """What messages call it: `main:app`, or the name of the function."""

    def start(self) -> None:
        """Called once, before the first request can come. An exception says why the worker cannot start."""

    def begin(self, exchange: Exchange) -> None:
        """Answers the exchange. The engine makes any exception a failure, with its traceback in the log."""

    def stop(self) -> None:
        """Called once, when no more requests will come."""


class AsyncApplication(Protocol):
    """
    An application whose `begin` returns at once and answers now or later. The asyncio engine runs it.

    The engine calls all methods on the thread of its event loop.
    """

    name: str
    """What messages call it: `main:app`, or the name of the function."""
    takes_web_sockets: bool
    """Whether `begin` may get an exchange whose `asks_for_web_socket` says so, and accepts or refuses it."""

    async def start(self) -> None:
        """Awaited once, before the first request can come. An exception says why the worker cannot start."""

    def begin(self, exchange: Exchange) -> None:
        """
        Begins to answer the exchange, usually by `handoff_worker.engine.tasks.start_task`.

        The engine makes any exception a failure. A task has to do that itself with what its coroutine raises.
        """

    async def stop(self) -> None:
        """Awaited once, when no more requests will come."""
