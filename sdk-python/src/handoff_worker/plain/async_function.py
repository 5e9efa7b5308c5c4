"""Serves a coroutine function."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from functools import partial

from handoff_worker.engine.async_body import AsyncBody, AsyncWholeBody
from handoff_worker.engine.cancel_grace import CANCEL_GRACE_SECONDS, give_up_later
from handoff_worker.engine.failure_log import tell_failure
from handoff_worker.engine.tasks import start_task
from handoff_worker.plain.async_parts import send_large, send_parts
from handoff_worker.plain.body_stream import is_marked
from handoff_worker.plain.function import name_of, not_a_response, response_to_bad_request
from handoff_worker.plain.request import BadRequest, Request, large_request, leave_body_to
from handoff_worker.plain.response import Response
from handoff_worker.plain.web_socket import WebSocket, WebSocketClosed, is_origin_wanted
from handoff_worker.protocol.exchange import BodyTooLarge, Exchange

AsyncHandler = Callable[[Request], Awaitable[Response]]
WebSocketHandler = Callable[[WebSocket], Awaitable[None]]


class AsyncFunction:
    """An application of a coroutine function `async (Request) -> Response`. Each request is a task, which a cancel cancels."""

    def __init__(
        self,
        handler: AsyncHandler,
        web_socket: WebSocketHandler | None = None,
        origins: Iterable[str] | None = None,
        subprotocols: Iterable[str] = (),
    ) -> None:
        """`web_socket`, `origins` and `subprotocols`: as for `serve`."""
        self._handler = handler
        self._web_socket = web_socket
        self._origins = origins if origins is None else frozenset(origins)
        self._subprotocols = tuple(subprotocols)
        self.takes_web_sockets = web_socket is not None
        self._streams_body = is_marked(handler)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._cancelled: set[asyncio.Task[None]] = set()
        """The tasks that were cancelled and have not ended. It also keeps them alive, which the loop does not."""
        self.name = name_of(handler)

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()

    def begin(self, exchange: Exchange) -> None:
        assert self._loop is not None, "begins before it has started"
        if self._web_socket is not None and exchange.asks_for_web_socket:
            task = start_task(self._talk(exchange, self._web_socket), self._loop)
        else:
            task = start_task(self._answer(exchange), self._loop)
        if not task.done():
            # The callback also keeps the task alive, which the loop does not.
            exchange.on_cancel(partial(self._cancel, exchange, task))

    async def stop(self) -> None:
        """Waits up to 3 s for requests that were cancelled together with the connection."""
        if self._cancelled:
            await asyncio.wait(self._cancelled, timeout=CANCEL_GRACE_SECONDS)

    def _cancel(self, exchange: Exchange, task: "asyncio.Task[None]", reason: str) -> None:
        """Cancels the coroutine, which may clean up for longer than the core waits."""
        self._cancelled.add(task)
        task.add_done_callback(self._cancelled.discard)
        # Before Python 3.12 a task that is cancelled in the turn in which it was made never begins, and answers nothing.
        task.add_done_callback(lambda _: exchange.fail(f"cancelled before it began: {reason}"))
        task.cancel()
        give_up_later(exchange, task, reason)

    async def _large(self, exchange: Exchange) -> Request:
        """The request with its whole body, unless the handler wants the pieces. Then it has to ask for a small body too."""
        source = AsyncWholeBody(exchange.body) if exchange.pieces is None else AsyncBody(exchange.pieces)
        request = large_request(exchange, source)
        if not self._streams_body:
            await request.read()
        return request

    async def _talk(self, exchange: Exchange, handler: WebSocketHandler) -> None:
        """Accepts a WebSocket, and closes it when its function returns."""
        try:
            if not is_origin_wanted(exchange, self._origins):
                exchange.answer(403, [("content-type", "text/plain")], b"WebSockets are not for this origin.\n")
                return
            offered = exchange.subprotocols or ()
            subprotocol = next((each for each in self._subprotocols if each in offered), None)
            link = exchange.accept([] if subprotocol is None else [("sec-websocket-protocol", subprotocol)])
            if link is None:
                exchange.fail("the client has left")
                return
            socket = WebSocket(exchange, link, subprotocol)
            await handler(socket)
            await socket.close()
        except asyncio.CancelledError as error:
            error.__traceback__ = None
            exchange.fail("cancelled")
        except WebSocketClosed:
            exchange.fail("the client has left")  # which is no fault
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  whatever was raised, the core waits for this id
            if self._loop is None or not self._loop.is_closed():
                tell_failure(exchange, error, name_of(handler))

    async def _answer(self, exchange: Exchange) -> None:
        try:
            try:
                is_simple = exchange.pieces is None and not self._streams_body
                request = Request(exchange) if is_simple else await self._large(exchange)
                response = await self._handler(request)
            except BadRequest as problem:
                response = response_to_bad_request(problem)
            if not isinstance(response, Response):
                raise not_a_response(self.name, response)
            if response.parts is not None:
                leave_body_to(request)
                del request  # its response may last for hours
                await send_parts(exchange, response)
                return
            try:
                exchange.answer(response.status, response.headers, response.body, response.reason)
            except BodyTooLarge:
                if not exchange.may_stream:
                    raise
                await send_large(exchange, response)
        except asyncio.CancelledError as error:
            # The frames of its traceback hold the body, and some hold the error: it would stay until a full garbage collection.
            error.__traceback__ = None
            exchange.fail(f"cancelled: {exchange.cancelled or 'by the handler itself'}")
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  whatever was raised, the core waits for this id
            if self._loop is None or not self._loop.is_closed():
                tell_failure(exchange, error, self.name)
            # Else the process ends, and tears this coroutine down while it runs.
