"""One WebSocket on its way through an ASGI application."""

import asyncio
from collections.abc import Iterable
from typing import Any

from handoff_worker.asgi.interface import AsgiApp, Message
from handoff_worker.engine.cancel_grace import give_up_later
from handoff_worker.engine.failure_log import tell_failure
from handoff_worker.gateway.client_gone import ClientGone
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.protocol.web_socket import ABNORMAL, MOST_REASON_BYTES, NORMAL, WebSocketLink, may_close_with

# What the application may send.
#
#     HANDSHAKE ── websocket.accept ──> OPEN ── websocket.close, or the client is gone ──> OVER
#       ├── websocket.close: 403 ───────────────────────────────────────────────────────────^
#       '── websocket.http.response.start ──> REFUSING ── …body, more_body false ───────────^
HANDSHAKE = "websocket.accept, websocket.close or websocket.http.response.start"
OPEN = "websocket.send or websocket.close"
REFUSING = "websocket.http.response.body"
OVER = "nothing"

Fields = Iterable[tuple[bytes, bytes]]


class WebSocketCall:
    """
    Passes messages on, both ways ("WebSocket" of the ASGI specification, 2.4).

    The application may run on when it is over. Lives on the thread of the event loop.
    """

    __slots__ = ("_body", "_changed", "_connected", "_exchange", "_expected", "_link", "_refusal", "task")

    def __init__(self, exchange: Exchange) -> None:
        self.task: asyncio.Task[None] | None = None
        """The task that runs this call, from its first wait to its end."""
        self._exchange = exchange
        self._expected = HANDSHAKE
        self._connected = False
        self._link: WebSocketLink | None = None
        self._refusal: tuple[int, list[tuple[str, str]]] = (403, [])
        self._body: list[bytes] = []
        self._changed = asyncio.Event()

    async def run(self, app: AsgiApp, scope: dict[str, Any], name: str) -> None:
        """Calls the application. Closes the WebSocket when it returns, with 1011 where it raises."""
        try:
            await app(scope, self.receive, self.send)
            if self._expected is OPEN:
                self._close(NORMAL, "")
            elif self._expected is not OVER and self._exchange.cancelled is None:
                raise RuntimeError("the application returned before it accepted the WebSocket or refused it")
        except KeyboardInterrupt:
            self._fail("cancelled")
            raise
        except asyncio.CancelledError as error:
            self._fail("cancelled")
            raise error.with_traceback(None)  # noqa: B904  it is the same error
        except BaseException as error:  # noqa: BLE001  whatever was raised, the core waits for this id
            if self._is_gone and isinstance(error, OSError):
                self._fail(f"{error!r}, after the client had left")  # which is no fault
            else:
                tell_failure(self._exchange, error, name)
        finally:
            self._fail("the application returned")

    async def receive(self) -> Message:
        """`websocket.connect`, then each message, then `websocket.disconnect`."""
        if not self._connected:
            self._connected = True
            return {"type": "websocket.connect"}
        while True:
            message = self._link.take() if self._link is not None else None
            if isinstance(message, str):
                return {"type": "websocket.receive", "text": message}
            if message is not None:
                return {"type": "websocket.receive", "bytes": message}
            if self._is_gone or self._expected is OVER:
                code, reason = self._end
                return {"type": "websocket.disconnect", "code": code, "reason": reason}
            self._changed.clear()
            await self._changed.wait()

    async def send(self, message: Message) -> None:
        """
        Takes one event, and waits while the client has too much to read.

        Raises `ClientGone` when the client is gone, `RuntimeError` when another event is due, and `ValueError` for what may not be
        sent.
        """
        kind = message["type"]
        if self._is_gone:
            raise ClientGone(f"the client has left: {self._end[0]}")
        match self._expected, kind:
            case "websocket.send or websocket.close", "websocket.send":
                await self._send(message)
            case "websocket.send or websocket.close", "websocket.close":
                self._close(message.get("code", NORMAL), message.get("reason") or "")
            case "websocket.http.response.body", "websocket.http.response.body":
                self._refuse(message)
            case _, "websocket.accept" if self._expected is HANDSHAKE:
                self._accept(message.get("subprotocol"), message.get("headers") or ())
            case _, "websocket.close" if self._expected is HANDSHAKE:
                self._answer(403, [])
            case _, "websocket.http.response.start" if self._expected is HANDSHAKE:
                self._refusal = message["status"], _texts(message.get("headers") or ())
                self._expected = REFUSING
            case _:
                raise RuntimeError(f"the application sent {kind}, and {self._expected} was expected")

    def cancel(self, reason: str) -> None:
        """Tells the application that its client has left. Before it has accepted it has 3 s to clean up, then its task is cancelled."""
        self._wake()
        if self.task is not None and self._link is None:
            give_up_later(self._exchange, self.task, reason, self.task.cancel)

    @property
    def _is_gone(self) -> bool:
        """Whether the client, or the core, has ended it."""
        if self._link is not None:
            return self._link.closed is not None
        return self._exchange.cancelled is not None

    @property
    def _end(self) -> tuple[int, str]:
        closed = self._link.closed if self._link is not None else None
        return closed or (ABNORMAL, "")

    def _accept(self, subprotocol: str | None, headers: Fields) -> None:
        fields = _texts(headers)
        if subprotocol is not None:
            fields.append(("sec-websocket-protocol", subprotocol))
        link = self._exchange.accept(fields)
        if link is None:
            raise ClientGone("the client has left")
        self._link = link
        self._expected = OPEN
        link.when_changed = self._wake
        self._wake()

    async def _send(self, message: Message) -> None:
        link = self._link
        assert link is not None, "it is open"
        content = message.get("text")
        if content is None:
            content = bytes(message["bytes"])
        while not link.has_room_for(content):
            self._changed.clear()
            await self._changed.wait()
        if link.closed is not None:
            raise ClientGone(f"the client has left: {link.closed[0]}")
        link.send(content)

    def _close(self, code: int, reason: str) -> None:
        if not may_close_with(code):
            raise ValueError(f"a WebSocket cannot be closed with code {code} (RFC 6455 section 7.4)")
        if len(reason.encode()) > MOST_REASON_BYTES:
            raise ValueError(f"the reason of a close has more than {MOST_REASON_BYTES} bytes: {reason!r}")
        assert self._link is not None, "it is open"
        self._expected = OVER
        self._link.close(code, reason)

    def _refuse(self, message: Message) -> None:
        self._body.append(bytes(message.get("body", b"")))
        if not message.get("more_body", False):
            status, headers = self._refusal
            self._answer(status, headers)

    def _answer(self, status: int, headers: list[tuple[str, str]]) -> None:
        self._exchange.answer(status, headers, b"".join(self._body))
        self._body.clear()
        self._expected = OVER
        self._wake()

    def _fail(self, reason: str) -> None:
        self._expected = OVER
        if not self._exchange.answered:
            self._exchange.fail(reason)
        self._wake()

    def _wake(self) -> None:
        self._changed.set()


def _texts(headers: Fields) -> list[tuple[str, str]]:
    return [(bytes(name).decode("latin-1"), bytes(value).decode("latin-1")) for name, value in headers]
