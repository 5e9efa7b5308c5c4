"""Records on a socket, before anything in them is encrypted, and what the server says to them."""

from collections.abc import Iterator
from socket import SHUT_WR, socket

from tls.library import constants

CHANGE_CIPHER_SPEC, ALERT, HANDSHAKE, APPLICATION_DATA, HEARTBEAT = 20, 21, 22, 23, 24
TLS10_RECORD = b"\3\1"

SERVER_HELLO = "ServerHello"
HELLO_RETRY = "HelloRetryRequest"
ENCRYPTED_ALERT = "an encrypted alert"
CLOSED = "closed without an alert"

ENCRYPTED_ALERT_BYTES = 2 + 1 + 16 + 16
"""With its type, the padding of the JDK, and a tag (RFC 8446 section 5.2). Nothing else is so short."""
RETRY_RANDOM = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")
"""What stands in the place of random numbers there (RFC 8446 section 4.1.3)."""


def record(kind: int, content: bytes, version: bytes = b"\3\3") -> bytes:
    return bytes([kind]) + version + len(content).to_bytes(2, "big") + content


def handshake(message: bytes) -> bytes:
    return record(HANDSHAKE, message, TLS10_RECORD)


def cut(message: bytes, size: int) -> bytes:
    """The message in records of this size."""
    return b"".join(handshake(message[at : at + size]) for at in range(0, len(message), size))


def alert(level: int, description: int) -> bytes:
    return record(ALERT, bytes([level, description]))


def reaction(connected: socket, sent: bytes, ends: bool = False) -> str:
    """What the server does: SERVER_HELLO, HELLO_RETRY, CLOSED, or the name of the alert with which it closes the connection."""
    answer = CLOSED
    try:
        connected.sendall(sent)
        if ends:
            connected.shutdown(SHUT_WR)
        for kind, content in received(connected):
            if kind == HANDSHAKE and content[0] == 2:
                answer = HELLO_RETRY if content[6:38] == RETRY_RANDOM else SERVER_HELLO
                # All that the server has to say now is on its way already.
                connected.shutdown(SHUT_WR)
            elif kind == ALERT:
                answer = str(constants.AlertDescription.toStr(content[1]))
            elif kind == APPLICATION_DATA and len(content) == ENCRYPTED_ALERT_BYTES:
                answer = ENCRYPTED_ALERT
    except TimeoutError:
        answer = "nothing for too long"
    except (ConnectionResetError, BrokenPipeError):
        # What it did not read any more makes the system send a reset.
        pass
    return answer


def received(connected: socket) -> Iterator[tuple[int, bytes]]:
    while head := exactly(connected, 5):
        yield head[0], exactly(connected, int.from_bytes(head[3:], "big"))


def exactly(connected: socket, size: int) -> bytes:
    """As many bytes, or none where the connection ends before."""
    content = b""
    while len(content) < size:
        some = connected.recv(size - len(content))
        if not some:
            return b""
        content += some
    return content
