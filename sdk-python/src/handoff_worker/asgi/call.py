"""One request on its way through an ASGI application."""

import asyncio
from collections.abc import Iterable
from typing import Any

from handoff_worker.asgi.header_texts import texts_of
from handoff_worker.asgi.interface import AsgiApp, Message
from handoff_worker.engine.async_body import AsyncBody
from handoff_worker.engine.async_response import AsyncResponse
from handoff_worker.engine.cancel_grace import give_up_later
from handoff_worker.engine.failure_log import tell_failure
from handoff_worker.engine.gathered_events import tell_gathered
from handoff_worker.gateway.client_gone import ClientGone
from handoff_worker.gateway.gathering_budget import GatheringBudget, GatheringBudgetExceeded
from handoff_worker.protocol.content_length import contradiction
from handoff_worker.protocol.exchange import BodyTooLarge, Exchange
from handoff_worker.protocol.request_body import BodyCutOff, RequestBody
from handoff_worker.protocol.response_frame import Pairs

# What the application has to send next.
#
#     START ── http.response.start ──> BODY ── http.response.body, more_body false ──> COMPLETE
#       └──────────────────┴── the request fails ──> COMPLETE
START = "http.response.start"
BODY = "http.response.body"
COMPLETE = "nothing"


class Call:
    """
    Passes on what the application sends: whole, or in parts, which are gathered where the core takes no pieces. The application
    may run on after that.

    Lives on the thread of the event loop.
    """

    __slots__ = (
        "_body_read",
        "_budget",
        "_bytes",
        "_chunks",
        "_exchange",
        "_expected",
        "_gathered",
        "_gone",
        "_headers",
        "_parts",
        "_status",
        "_upload",
        "task",
    )

    _headers: Pairs
    _status: int

    def __init__(self, exchange: Exchange, budget: GatheringBudget) -> None:
        self.task: asyncio.Task[None] | None = None
        """The task that runs this call, from its first wait to its end."""
        self._exchange = exchange
        self._budget = budget
        self._gathered = 0
        self._expected = START
        self._body_read = False
        self._upload: AsyncBody | None = None
        """The body, where it comes in pieces and was asked for."""
        self._gone: asyncio.Event | None = None
        self._chunks: list[bytes] | None = None
        """The parts of the body so far, where it comes in parts."""
        self._bytes = 0
        self._parts: AsyncResponse | None = None
        """The response, where it comes in parts and the core takes pieces."""

    async def run(self, app: AsgiApp, scope: dict[str, Any], name: str) -> None:
        """Calls the application. Fails the request where it raises, or returns before its response is complete."""
        try:
            await app(scope, self.receive, self.send)
            if self._expected is START:
                raise RuntimeError("the application returned without a response: it sent no http.response.start")
            if self._expected is BODY:
                raise RuntimeError(
                    "the application returned before its response was complete: "
                    "its last event has to be an http.response.body without more_body, or with more_body False"
                )
        except KeyboardInterrupt:
            self._fail("cancelled")
            raise
        except asyncio.CancelledError as error:
            self._fail("cancelled")
            # The frames of its traceback hold the body, and often the error itself: it would stay until a full garbage collection.
            raise error.with_traceback(None)  # noqa: B904  it is the same error
        except BaseException as error:  # noqa: BLE001  whatever was raised, the core waits for this id
            if self._exchange.cancelled is None or self._expected is COMPLETE:
                tell_failure(self._exchange, error, name)
                self._complete()
            else:  # it gave up because its client did, which is no fault
                self._fail(f"{error!r}, after it was cancelled: {self._exchange.cancelled}")

    async def receive(self) -> Message:
        """The body: in one event, that of a large request in pieces. Then `http.disconnect`, once nobody waits any more."""
        if not self._body_read:
            if self._exchange.pieces is None:
                self._body_read = True
                # The application's alone from here on: its response may last for hours.
                body, self._exchange.body = self._exchange.body, b""
                return {"type": "http.request", "body": body, "more_body": False}
            piece = await self._next_piece(self._exchange.pieces)
            if piece is not None:
                return {"type": "http.request", "body": piece, "more_body": not self._body_read}
        if self._expected is not COMPLETE and self._exchange.cancelled is None:
            if self._gone is None:
                self._gone = asyncio.Event()
            await self._gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """
        Takes one event of the response, and waits while the client has too much to read.

        Raises `ClientGone` when nobody waits for the response, `RuntimeError` when another event is due, and `ValueError` when the
        response is larger than the core takes or breaks a rule of HTTP.
        """
        if self._exchange.cancelled is not None:
            raise ClientGone(f"nobody waits for this response any more: {self._exchange.cancelled}")
        if message["type"] != self._expected:
            raise RuntimeError(f"the application sent {message['type']}, and {self._expected} was expected")
        if self._expected is START:
            self._start(message["status"], message.get("headers", ()))
        elif self._parts is not None or (message.get("more_body", False) and self._exchange.may_stream):
            await self._send_part(message.get("body", b""), message.get("more_body", False))
        elif self._add(message.get("body", b""), message.get("more_body", False)):
            await self._send_part(message.get("body", b""), more=False)

    def cancel(self, reason: str) -> None:
        """Tells the application that nobody waits any more, and gives it 3 s to clean up."""
        self._forget()
        self._disconnect()
        if self.task is not None:
            give_up_later(self._exchange, self.task, reason, self.task.cancel)

    async def _next_piece(self, body: RequestBody) -> bytes | None:
        """None where no more will come, or somebody else has asked for the last one meanwhile."""
        if self._upload is None:
            self._upload = AsyncBody(body)
        try:
            piece = await self._upload.read()
        except BodyCutOff:
            self._body_read = True
            return None
        if self._body_read:
            return None
        self._body_read = body.is_at_end
        return piece

    def _start(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self._headers = texts_of(headers)
        self._status = status
        self._expected = BODY

    async def _send_part(self, chunk: bytes, more: bool) -> None:
        if self._parts is None:
            self._parts = AsyncResponse(self._exchange, self._status, self._headers)
        if more:
            await self._parts.send(bytes(chunk))
        else:
            await self._parts.end(bytes(chunk))
        if self._exchange.cancelled is not None:
            raise ClientGone(f"nobody waits for this response any more: {self._exchange.cancelled}")
        if not more:
            self._complete()

    def _add(self, chunk: bytes, more: bool) -> bool:
        """Takes a part of a response that leaves whole. Returns True for one that is too large for that, and can leave in pieces."""
        if self._chunks is None and not more:
            try:
                self._answer(bytes(chunk))
            except BodyTooLarge:
                if self._exchange.may_stream:
                    return True
                raise
            return False
        self._bytes += len(chunk)
        limit = self._exchange.body_limit
        if self._bytes > limit:
            raise ValueError(f"the response is larger than the {limit} bytes that the core takes (--max-response)")
        try:
            self._budget.take(self._exchange, len(chunk))
        except GatheringBudgetExceeded:
            self._complete()
            raise
        self._gathered = self._bytes
        if self._chunks is None:
            self._chunks = []
            tell_gathered(self._headers)
        self._chunks.append(bytes(chunk))
        if not more:
            self._answer(b"".join(self._chunks))
        return False

    def _answer(self, body: bytes) -> None:
        wrong = contradiction(self._exchange, self._status, self._headers, len(body))
        if wrong:
            raise RuntimeError(wrong)
        self._exchange.answer(self._status, self._headers, body)
        self._complete()

    def _fail(self, reason: str) -> None:
        if self._expected is not COMPLETE:
            self._exchange.fail(reason)
            self._complete()

    def _complete(self) -> None:
        self._expected = COMPLETE
        self._forget()
        self._disconnect()

    def _forget(self) -> None:
        self._chunks = None
        if self._parts is not None:
            self._parts.close()
        if self._gathered:
            self._budget.release(self._gathered)
            self._gathered = 0

    def _disconnect(self) -> None:
        if self._gone is not None:
            self._gone.set()
