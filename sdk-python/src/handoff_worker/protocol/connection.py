"""What a connection to the core goes through, whoever moves its bytes."""

from collections.abc import Callable
from enum import Enum

from handoff_worker.log.logger import log
from handoff_worker.protocol import frames
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.protocol.frames import Head

WELCOME_SECONDS = 10.0
"""A core that has not answered a hello by then is none."""


LEAVING = "this worker is leaving"
"""The message of a failure that gives a request back."""


class End(Enum):
    """How a connection ended."""

    LEFT = "left"
    """We had said drain, and nothing is left to do."""
    DRAINED = "drained"
    """The core had said drain, and nothing is left to do for it."""
    LOST = "lost"
    """The core is gone, or was never there."""
    REFUSED = "refused"
    """The core does not want this worker."""


class Connection:
    """
    One connection, from hello to its end; the engine that reads and writes it calls its methods on one thread at a time.

    hello -> welcomed -> serving -> draining -> end
    """

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self.when_closing: Callable[[], None] = lambda: None
        """Called when one of the two has said drain, so that no new requests come; perhaps by a signal handler."""
        self.welcomed = False
        self.drained = False
        """Whether the core has said drain."""
        self.leaving = False
        """Whether we have said it: requests that crossed it are given back."""
        self.refused = False
        self.body_limit = 0
        self.in_flight: dict[int, Exchange] = {}
        """What can be cancelled: requests whose handler may be told."""

    @property
    def end(self) -> End:
        if self.refused:
            return End.REFUSED
        if self.leaving:
            return End.LEFT
        return End.DRAINED if self.drained else End.LOST

    def take(self, message: Head) -> None:
        """Acts on a message that is no request."""
        match message["type"]:
            case "cancel":
                self._cancel(message["id"], message["reason"])
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
        """Asks for no more requests; the core ends the connection when it has its answers."""
        if not self.leaving:
            self.leaving = True
            self.when_closing()
            self._send(frames.DRAIN)

    def cancel_all(self) -> None:
        """The connection is over: nobody waits for anything any more."""
        for request_id in list(self.in_flight):
            self._cancel(request_id, "client_gone")

    def _cancel(self, request_id: int, reason: str) -> None:
        exchange = self.in_flight.get(request_id)
        if exchange is None:
            return
        try:
            exchange.cancel(reason)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  whatever a callback raises, the others are served
            log.error("what was to be called on a cancel failed", exc_info=error)

    def _welcome(self, message: Head) -> None:
        if message["protocol"] != frames.PROTOCOL:
            self.refused = True
            log.error("the core speaks version %s of the protocol, this SDK %s", message["protocol"], frames.PROTOCOL)
            return
        self.body_limit = message["limits"]["bodyBytes"]
        self.welcomed = True
