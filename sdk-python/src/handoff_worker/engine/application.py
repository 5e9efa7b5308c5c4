"""What an engine runs: a plain function, a WSGI or an ASGI application, each behind the same three methods."""

from typing import Protocol

from handoff_worker.protocol.exchange import Exchange


class StartupFailed(Exception):
    """Raised by `start`: the application itself says that it cannot start, and why. Its message is for whoever reads the log."""


class BlockingApplication(Protocol):
    """
    An application whose `begin` returns when the request is answered; run by the blocking engine.

    The engine has several threads when it was asked for them, and then calls `begin` on more than one at a time.
    """

    name: str
    """What the user calls it, for messages: `main:app`, or the function's name."""

    def start(self) -> None:
        """Called once, before the first request can come; raises to say why the worker cannot start."""

    def begin(self, exchange: Exchange) -> None:
        """Answers the exchange. An exception that leaves it becomes a failure, with its traceback in the log."""

    def stop(self) -> None:
        """Called once, when no more requests will come."""


class AsyncApplication(Protocol):
    """
    An application whose `begin` returns at once and answers now or later; run by the asyncio engine.

    All of it runs on the thread of the event loop.
    """

    name: str
    """What the user calls it, for messages: `main:app`, or the function's name."""

    async def start(self) -> None:
        """Awaited once, before the first request can come; raises to say why the worker cannot start."""

    def begin(self, exchange: Exchange) -> None:
        """
        Begins to answer the exchange, usually by `handoff_worker.engine.tasks.start`.

        An exception that leaves it becomes a failure; one in a task of its own has to be turned into one there.
        """

    async def stop(self) -> None:
        """Awaited once, when no more requests will come."""
