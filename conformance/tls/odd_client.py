"""A client that shakes hands as others do, but for what it is told to say in between; tlslite-ng encrypts it."""

from collections.abc import Callable, Iterator, Sequence
from socket import SHUT_WR, socket
from typing import Any

from tls.certificates import Pair
from tls.library import HandshakeSettings, TLSConnection, constants, errors, messages
from tls.wire import CLOSED

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
SERVED = "served"
ENDED = "ended with close_notify"

Meddle = Callable[[Any], Sequence[Any]]
"""What to send in the place of a message of the handshake."""

Version = tuple[int, int]


def settings(version: Version) -> Any:
    wanted = HandshakeSettings()
    wanted.minVersion = wanted.maxVersion = version
    wanted.eccCurves, wanted.keyShares = ["x25519", "secp256r1"], ["x25519"]
    # It compresses its certificate for servers, too, that cannot take that.
    wanted.certificate_compression_send = wanted.certificate_compression_receive = []
    return wanted


def message(kind: int, content: bytes) -> Any:
    return messages.Message(kind, bytearray(content))


class OddClient(TLSConnection):  # type: ignore[misc]
    def __init__(self, connected: socket, meddle: Meddle = lambda said: [said]) -> None:
        super().__init__(connected)
        self._meddle = meddle
        # Who closes without a word is told from who says so.
        self.ignoreAbruptClose = False

    def _sendMsg(self, msg: Any, *options: Any, **named: Any) -> Iterator[Any]:
        # Its last messages leave together: else it might send one while the server closes, and not look for the alert.
        if isinstance(msg, messages.Certificate):
            self.sock.buffer_writes = True
        for each in self._meddle(msg):
            yield from super()._sendMsg(each, *options, **named)
        if isinstance(msg, messages.Finished):
            self.sock.flush()
            self.sock.buffer_writes = False

    def greet(self, version: Version, name: str = "localhost", shown: Pair | None = None) -> "OddClient":
        chain, key = (shown.chain(), shown.private_key()) if shown else (None, None)
        self.handshakeClientCert(chain, key, settings=settings(version), serverName=name)
        return self

    def say(self, kind: int, content: bytes, times: int = 1) -> None:
        """One record, or as many as its length needs."""
        for _ in range(times):
            for _ in super()._sendMsg(message(kind, content)):
                pass

    def update_keys(self, answer: bool = False) -> None:
        for _ in self.send_keyupdate_request(int(answer)):
            pass

    def send_as_it_is(self, sent: bytes) -> None:
        """Past all encryption."""
        self.sock.socket.sendall(sent)

    def end_without_a_word(self) -> None:
        self.sock.socket.shutdown(SHUT_WR)

    def ask(self) -> bytes:
        self.sendall(REQUEST)
        return self.answer()

    def answer(self) -> bytes:
        """All that comes until the server says that it ends."""
        told = b""
        while some := self.recv(65536):
            told += bytes(some)
        return told


def outcome(action: Callable[[], bytes]) -> str:
    """SERVED, ENDED, CLOSED, or the name of the alert with which the server closes the connection."""
    try:
        told = action()
    except errors.TLSRemoteAlert as alert:
        return str(constants.AlertDescription.toStr(alert.description))
    except TimeoutError:
        return "nothing for too long"
    except (errors.TLSAbruptCloseError, errors.TLSClosedConnectionError, OSError):
        # While it sends on, a client does not always hear why it is closed.
        return CLOSED
    return SERVED if told.startswith(b"HTTP/1.1 200 OK\r\n") else ENDED + told.decode()
