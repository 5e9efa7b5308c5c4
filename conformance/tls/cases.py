"""What clients send before anything is encrypted, as records and messages, and what each gets for it."""

from collections.abc import Iterator
from dataclasses import dataclass

from tls import wire
from tls.hello import (
    TLS12,
    TLS13,
    Extension,
    Group,
    groups,
    hello,
    raw,
)
from tls.wire import (
    ALERT,
    APPLICATION_DATA,
    CHANGE_CIPHER_SPEC,
    CLOSED,
    HANDSHAKE,
    SERVER_HELLO,
    cut,
    handshake,
    record,
)

GREASE = 0x1A1A
"""Values that nobody may know (RFC 8701)."""


@dataclass(frozen=True)
class Case:
    does: str
    sent: bytes
    expected: str
    rule: str
    ends: bool = False
    """Whether the client ends its side of the connection then."""


def all_cases() -> Iterator[Case]:
    yield from junk()
    yield from records()
    yield from messages_out_of_place()
    yield from malformed()


def junk() -> Iterator[Case]:
    rule = "RFC 8446 5: other types of records are answered by unexpected_message"
    usual = handshake(hello())
    yield Case("plain HTTP", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "unexpected_message", rule)
    yield Case("SSH", b"SSH-2.0-OpenSSH_9.2\r\n", "unexpected_message", rule)
    yield Case("zeros", bytes(2000), "unexpected_message", rule)
    yield Case("zeros before ClientHello", bytes(5) + usual, "unexpected_message", rule)
    yield Case("blank before ClientHello", b" " + usual, "unexpected_message", rule)
    yield Case(
        "ClientHello of SSL 2",
        bytes.fromhex("802e010002001500000010010080020080030080040080050080060040070 0c0".replace(" ", "")) + bytes(16),
        "unexpected_message",
        rule,
    )
    yield Case("one byte of junk", b"\xff", "unexpected_message", rule)
    yield Case("nothing", b"", CLOSED, "RFC 8446 6.1 asks for close_notify after a handshake only", ends=True)
    yield Case("half of a ClientHello", usual[:100], CLOSED, "the same", ends=True)


def records() -> Iterator[Case]:
    usual = hello()
    yield Case("ClientHello in records of 64 bytes", cut(usual, 64), SERVER_HELLO, "RFC 8446 5.1")
    yield Case("ClientHello in records of 10 bytes", cut(usual, 10), SERVER_HELLO, "RFC 8446 5.1")
    large = hello(TLS13, raw(Extension.supports_npn + 4000, bytes(8000)))
    yield Case("a large ClientHello in one record", handshake(large), SERVER_HELLO, "RFC 8446 5.1")
    yield Case("a large ClientHello in records of 512 bytes", cut(large, 512), SERVER_HELLO, "RFC 6066 4")
    yield Case("a large ClientHello in records of one byte", cut(large, 1), CLOSED, "what copying it costs has a limit")
    yield Case(
        "a ClientHello beyond 32 KiB",
        cut(hello(TLS13, *(raw(0x4A00 + each, bytes(12_000)) for each in range(3))), 16_000),
        "unexpected_message",
        "jdk.tls.maxHandshakeMessageSize",
    )
    yield Case("an endless message", handshake(b"\1\xff\xff\xff" + bytes(1000)), "unexpected_message", "the same")
    yield Case("an empty record", record(HANDSHAKE, b"") + handshake(usual), "unexpected_message", "RFC 8446 5.1")
    yield Case("empty records of content", record(APPLICATION_DATA, b"") * 100, "unexpected_message", "RFC 8446 5.1")
    yield Case("content", record(APPLICATION_DATA, b"GET / HTTP/1.1\r\n\r\n"), "unexpected_message", "RFC 8446 5.1")
    yield Case(
        "a record that is too long", bytes([HANDSHAKE, 3, 1, 0xFF, 0xFF]) + usual, "record_overflow", "RFC 8446 5.1"
    )
    yield Case(
        "a record of 16 KiB and one byte",
        handshake(usual[:1] + (0x4000).to_bytes(3, "big") + bytes(0x4001 - 4)),
        "record_overflow",
        "RFC 8446 5.1",
    )
    yield Case(
        "a record of a version that nobody knows",
        record(HANDSHAKE, usual, b"\x7f\1"),
        SERVER_HELLO,
        "RFC 8446 5.1: it is ignored",
    )
    yield Case("a record of a type that nobody knows", record(99, b"x"), "unexpected_message", "RFC 8446 5")
    for name, between in {
        "an alert": wire.alert(1, 90),
        "ChangeCipherSpec": record(CHANGE_CIPHER_SPEC, b"\1"),
        "content": record(APPLICATION_DATA, b"x"),
    }.items():
        whole = handshake(usual[:50]) + between + handshake(usual[50:])
        yield Case(f"{name} within a ClientHello", whole, "unexpected_message", "RFC 8446 5.1: no interleaving")


def messages_out_of_place() -> Iterator[Case]:
    rule = "RFC 8446 4, RFC 5246 7.4: unexpected_message"
    for name, kind in {
        "ServerHello": 2,
        "Certificate": 11,
        "ClientKeyExchange": 16,
        "Finished": 20,
        "KeyUpdate": 24,
    }.items():
        content = bytes(40)
        message = bytes([kind]) + len(content).to_bytes(3, "big") + content
        yield Case(f"{name} first", handshake(message), "unexpected_message", rule)
    yield Case("a message that nobody knows", handshake(b"\x63\0\0\0"), "unexpected_message", rule)
    yield Case(
        "ChangeCipherSpec first",
        record(CHANGE_CIPHER_SPEC, b"\1"),
        "unexpected_message",
        "RFC 8446 5: only behind the first ClientHello",
    )
    yield Case(
        "a flood of ChangeCipherSpec", record(CHANGE_CIPHER_SPEC, b"\1") * 5000, "unexpected_message", "the same"
    )
    yield Case(
        "a heartbeat",
        record(wire.HEARTBEAT, b"\1\x40\0" + bytes(20)),
        "unexpected_message",
        "RFC 6520 3: not negotiated",
    )
    yield Case("two ClientHellos together", handshake(hello(TLS12) * 2), "unexpected_message", rule)
    yield Case("close_notify first", wire.alert(1, 0), "close_notify", "RFC 5246 7.2.1: it is answered")
    yield Case("a fatal alert first", wire.alert(2, 40), CLOSED, "RFC 8446 6.2: closed without another")
    yield Case("a flood of warnings", wire.alert(1, 90) * 5000, CLOSED, "nobody warns so often")
    yield Case("an alert that nobody knows", record(ALERT, b"\1\xfa"), CLOSED, "RFC 8446 6.2: unknown ones are fatal")
    yield Case("an alert of one byte", record(ALERT, b"\2"), "illegal_parameter", "RFC 8446 6.2 has decode_error")


def malformed() -> Iterator[Case]:
    rule = "RFC 8446 6.2: decode_error"
    usual = hello()
    for size, expected in {
        4: "decode_error",
        38: "handshake_failure",
        60: "decode_error",
        len(usual) - 20: "decode_error",
    }.items():
        cut_off = usual[:1] + (size - 4).to_bytes(3, "big") + usual[4:size]
        yield Case(f"a ClientHello that ends within, at {size}", handshake(cut_off), expected, rule)
    longer = usual[:1] + (len(usual) - 4 + 3).to_bytes(3, "big") + usual[4:] + b"xyz"
    yield Case("bytes behind the extensions", handshake(longer), SERVER_HELLO, f"{rule}; the JDK ignores them")
    yield Case("a session id of 33 bytes", handshake(hello(session=bytes(33))), "illegal_parameter", rule)
    yield Case(
        "compression only",
        handshake(hello(compressions=[1])),
        SERVER_HELLO,
        "RFC 8446 4.1.2 has illegal_parameter; the JDK compresses nothing",
    )
    yield Case("no compressions", handshake(hello(compressions=[])), SERVER_HELLO, "the same")
    yield Case(
        "an extension twice",
        handshake(hello(more=[groups(Group.x25519)])),
        SERVER_HELLO,
        "RFC 8446 4.2 forbids it to the client",
    )
    yield Case(
        "an extension that nobody knows",
        handshake(hello(TLS13, raw(GREASE, bytes(3000)))),
        SERVER_HELLO,
        "RFC 8446 4.2",
    )
    yield Case(
        "heartbeats and other ways to compress",
        handshake(hello(TLS13, raw(Extension.heartbeat, b"\1"))),
        SERVER_HELLO,
        "RFC 6520 2: may be left out",
    )
    yield Case("records of 512 bytes", handshake(hello(TLS12, raw(1, b"\1"))), SERVER_HELLO, "RFC 6066 4")
    yield Case(
        "records of a size that nobody knows",
        handshake(hello(TLS12, raw(1, b"\x09"))),
        "illegal_parameter",
        "RFC 6066 4",
    )
