"""The states of a connection to the core, whichever engine moves its bytes."""

from collections.abc import Callable
from enum import Enum

from handoff_worker.log.logger import log
from handoff_worker.protocol import frames
from handoff_worker.protocol.exchange import Exchange, Outbox
from handoff_worker.protocol.frames import BeginOfRequest, Head, Piece, WebSocketMessage
from handoff_worker.protocol.large_exchange import LargeExchange
from handoff_worker.protocol.web_socket import NO_CODE

WELCOME_SECONDS = 10.0
"""A core that has not answered a hello within this time does not count as one."""


LEAVING = "this worker is leaving"
"""The message of a failure that gives a request back."""


class End(Enum):
    """How a connection ended."""

    LEFT = "left"
    """This worker had sent drain, and all its requests are answered."""
    DRAINED = "drained"
    """The core had sent drain, and all its requests are answered."""
    LOST = "lost"
    """The core is gone, or was never there."""
    REFUSED = "refused"
    """The core refused this worker."""


class Connection:
    """
    One connection, from hello to its end. The engine calls the methods, on one thread at a time.

    hello -> welcomed -> serving -> draining -> end
    """

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self.when_closing: Callable[[], None] = lambda: None
        """Called when the core or this worker drains, so that no new requests come. A signal handler may be the caller."""
        self.welcomed = False
        self.drained = False
        """Whether the core has sent drain."""
        self.leaving = False
        """Whether this worker has sent drain. Requests that were on their way then are given back."""
        self.refused = False
        self.body_limit = 0
        """The largest body that the core takes, in bytes; 0 before the welcome."""
        self.stream_bytes = 0
        """The credit that each response in pieces begins with; 0 where the core takes none, and before the welcome."""
        self.takes_fragments = False
        """Whether messages of WebSockets may leave in fragments."""
        self.in_flight: dict[int, Exchange] = {}
        """The requests that a cancel or credit can reach, by their id."""
        self._incoming: dict[int, LargeExchange] = {}
        """The requests of which more pieces are wanted, by their id. A cancel reaches these as well."""

    @property
    def end(self) -> End:
        """How the connection ended, once it has."""
        if self.refused:
            return End.REFUSED
        if self.leaving:
            return End.LEFT
        return End.DRAINED if self.drained else End.LOST

    def begin_large(self, begin: BeginOfRequest, received_at: float, outbox: Outbox) -> LargeExchange:
        """The exchange of a request that comes in pieces. `received_at`: in seconds on `time.monotonic()`."""
        exchange = LargeExchange(begin.request, received_at, outbox, self._no_more_pieces)
        self._incoming[exchange.id] = exchange
        return exchange

    def take_piece(self, piece: Piece) -> None:
        """Gives a piece to its request. Nobody wants it where the request has its response."""
        exchange = self._incoming.get(piece.id)
        if exchange is not None:
            exchange.pieces.add(piece.body, piece.more)
            if not piece.more:
                self._no_more_pieces(piece.id)

    def take_message(self, message: WebSocketMessage) -> None:
        """Gives a message to its WebSocket. Nobody wants it where that is over."""
        exchange = self.in_flight.get(message.id)
        if exchange is not None and exchange.web_socket is not None:
            exchange.web_socket.message_came(message.content, message.size)

    def take(self, message: Head) -> None:
        """Acts on a message that is neither a request, nor a piece of one, nor one of a WebSocket."""
        match message["type"]:
            case "credit":
                exchange = self.in_flight.get(message["id"])
                if exchange is not None:
                    exchange.grant(message["bytes"])
            case "cancel":
                self._cancel(message["id"], message["reason"])
            case "close":
                exchange = self.in_flight.get(message["id"])
                if exchange is not None and exchange.web_socket is not None:
                    exchange.web_socket.close_came(message.get("code") or NO_CODE, message.get("reason") or "")
            case "ping":
                self._send(frames.PONG)
            case "drain":
                self.drained = True
                self.when_closing()
            case "welcome":
                self._welcome(message)
            case "refused":
                self.refused = True
                log.error("the core refuses this worker: %s (%s)", message["message"], message["code"])

    def leave(self) -> None:
        """Sends drain. The core sends no more requests, and ends the connection when all are answered."""
        if not self.leaving:
            self.leaving = True
            self.when_closing()
            self._send(frames.DRAIN)

    def cancel_all(self) -> None:
        """Cancels every request, when the connection is over and nobody waits for a response any more."""
        for request_id in [*self.in_flight, *self._incoming]:
            self._cancel(request_id, "client_gone")

    def _cancel(self, request_id: int, reason: str) -> None:
        exchange = self.in_flight.get(request_id) or self._incoming.get(request_id)
        if exchange is None:
            return
        try:
            exchange.cancel(reason)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  whatever a callback raises, the others are called
            log.error("a function that was to be called on a cancel failed", exc_info=error)

    def _no_more_pieces(self, request_id: int) -> None:
        self._incoming.pop(request_id, None)

    def _welcome(self, message: Head) -> None:
        if message["protocol"] != frames.PROTOCOL:
            self.refused = True
            log.error("the core speaks version %s of the protocol, this SDK %s", message["protocol"], frames.PROTOCOL)
            return
        self.body_limit = message["limits"]["bodyBytes"]
        features = message.get("features") or ()
        if "streams" in features:
            self.stream_bytes = message["limits"]["streamBytes"]
        self.takes_fragments = "fragments" in features
        self.welcomed = True
