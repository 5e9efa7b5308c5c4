"""A coroutine function as an application."""

import asyncio
from collections.abc import Awaitable, Callable

from handoff import _tasks
from handoff._exchange import Exchange
from handoff._function import name_of, refusal, wrong_answer
from handoff._log import tell_failure
from handoff.request import BadRequest, Request
from handoff.response import Response

AsyncHandler = Callable[[Request], Awaitable[Response]]


class AsyncFunction:
    """A coroutine function `async (Request) -> Response`; each request is a task, which a cancel cancels."""

    def __init__(self, handler: AsyncHandler) -> None:
        self._handler = handler
        self._loop: asyncio.AbstractEventLoop | None = None
        self.name = name_of(handler)

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()

    def begin(self, exchange: Exchange) -> None:
        assert self._loop is not None, "begins before it has started"
        task = _tasks.start(self._answer(exchange), self._loop)
        if not task.done():
            # It also keeps the task alive, which the loop does not.
            exchange.on_cancel(lambda reason: _cancel(task))

    async def stop(self) -> None:
        """A function has nothing to stop."""

    async def _answer(self, exchange: Exchange) -> None:
        try:
            try:
                response = await self._handler(Request(exchange))
            except BadRequest as problem:
                response = refusal(problem)
            if not isinstance(response, Response):
                raise wrong_answer(self.name, response)
            exchange.answer(response.status, response.headers, response.body, response.reason)
        except asyncio.CancelledError:
            exchange.fail(f"cancelled: {exchange.cancelled or 'by the handler itself'}")
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  whatever it is, the id has to be answered
            tell_failure(exchange, error, self.name)


def _cancel(task: "asyncio.Task[None]") -> None:
    task.cancel()
