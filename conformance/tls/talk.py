"""What clients say within a handshake and behind it, mostly encrypted, and what each gets for it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tls import wire
from tls.hello import TLS12, TLS13, hello
from tls.library import messages
from tls.odd_client import ENDED, REQUEST, SERVED, Meddle, OddClient, Version, message
from tls.wire import ALERT, APPLICATION_DATA, CHANGE_CIPHER_SPEC, CLOSED, HANDSHAKE, HEARTBEAT, record

Certificate, CertificateVerify, Finished = messages.Certificate, messages.CertificateVerify, messages.Finished

BOTH = (TLS12, TLS13)
USER_CANCELED, NO_RENEGOTIATION = b"\1\x5a", b"\1\x64"
KEY_UPDATE = b"\x18\0\0\1\0"


Act = Callable[[OddClient], None]


@dataclass(frozen=True)
class Talk:
    does: str
    expected: str
    rule: str
    versions: Sequence[Version] = BOTH
    within: Meddle = lambda said: [said]
    behind: Act = lambda client: None
    asked: bool = False
    """Whether it has made its request by then. Otherwise it makes one if it is to be served, and waits for an alert if not."""


def all_talks() -> Iterator[Talk]:
    yield from within_the_handshake()
    yield from behind_it()
    yield from new_keys()
    yield from ends()


def before(kind: Any, *more: Any) -> Meddle:
    return lambda said: [*more, said] if isinstance(said, kind) else [said]


def in_place_of(kind: Any, *others: Any) -> Meddle:
    return lambda said: others if isinstance(said, kind) else [said]


def wrongly(kind: Any, field: str) -> Meddle:
    """With its last bit changed."""

    def spoil(said: Any) -> list[Any]:
        if isinstance(said, kind):
            right = bytes(getattr(said, field))
            setattr(said, field, bytearray(right[:-1] + bytes([right[-1] ^ 1])))
        return [said]

    return spoil


def within_the_handshake() -> Iterator[Talk]:
    out_of_place = "RFC 8446 4, RFC 5246 7.4: unexpected_message"
    yield Talk("as usual", SERVED, "RFC 8446 2, RFC 5246 7.3")
    yield Talk("a wrong Finished", "decrypt_error", "RFC 8446 4.4.4", within=wrongly(Finished, "verify_data"))
    for does, kind, content in (
        ("a request", APPLICATION_DATA, REQUEST),
        ("a heartbeat", HEARTBEAT, b"\1\0\0" + bytes(16)),
        ("KeyUpdate", HANDSHAKE, KEY_UPDATE),
        ("a certificate that nobody asked for", HANDSHAKE, b"\x0b\0\0\4\0\0\0\0"),
        ("ChangeCipherSpec with another value", CHANGE_CIPHER_SPEC, b"\2"),
        ("ChangeCipherSpec again", CHANGE_CIPHER_SPEC, b"\1"),
    ):
        within = before(Finished, message(kind, content))
        yield Talk(f"{does} before Finished", "unexpected_message", out_of_place, within=within)
    flood = before(Finished, *[message(ALERT, USER_CANCELED)] * 300)
    yield Talk("a flood of warnings before Finished", CLOSED, "nobody warns so often", [TLS12], flood)


def behind_it() -> Iterator[Talk]:
    def saying(kind: int, content: bytes, times: int = 1) -> Act:
        def act(client: OddClient) -> None:
            client.say(kind, content, times)

        return act

    def sending(raw: bytes) -> Act:
        def act(client: OddClient) -> None:
            client.send_as_it_is(raw)

        return act

    def in_tiny_records(client: OddClient) -> None:
        client.recordSize = 1

    def message_in_tiny_records(client: OddClient) -> None:
        client.say(HANDSHAKE, b"\x18\0\x70\0" + bytes(9000))
        client.recordSize = 1
        client.say(HANDSHAKE, bytes(50))

    renegotiation = "RFC 5746 5, RFC 8446 4.1.2: refused"
    yield Talk("another ClientHello of TLS 1.2", CLOSED, renegotiation, [TLS12], behind=saying(HANDSHAKE, hello(TLS12)))
    yield Talk("another ClientHello of TLS 1.3", CLOSED, renegotiation, [TLS13], behind=saying(HANDSHAKE, hello(TLS13)))
    rule = "RFC 8446 5, RFC 5246 7.1"
    yield Talk("ChangeCipherSpec", "unexpected_message", rule, behind=saying(CHANGE_CIPHER_SPEC, b"\1"))
    yield Talk("a heartbeat", "unexpected_message", "RFC 6520 3", behind=saying(HEARTBEAT, b"\1\x40\0" + bytes(16)))
    yield Talk("a certificate", CLOSED, "RFC 8446 4.6.2: nobody asked", behind=saying(HANDSHAKE, b"\x0b\0\0\4\0\0\0\0"))
    ticket = b"\4\0\0\x0f" + bytes(8) + b"\1\0\0\1x\0\0"
    yield Talk(
        "a ticket", "unexpected_message", "RFC 8446 4.6.1: the server's to give", behind=saying(HANDSHAKE, ticket)
    )
    empty = "RFC 8446 5.1: has no meaning, and is allowed"
    yield Talk("empty content", SERVED, empty, [TLS12], behind=saying(APPLICATION_DATA, b"", 20))
    refused = f"{empty}; the JDK finds no type in it"
    yield Talk("empty content", "bad_record_mac", refused, [TLS13], behind=saying(APPLICATION_DATA, b""))
    often = "nobody has a reason to send it so often"
    yield Talk("a flood of empty content", CLOSED, often, [TLS12], behind=saying(APPLICATION_DATA, b"", 160))
    yield Talk("some warnings", SERVED, "RFC 8446 6.1, RFC 5246 7.2.2", behind=saying(ALERT, USER_CANCELED, 3))
    yield Talk("no_renegotiation", SERVED, "RFC 5246 7.2.2: a warning", behind=saying(ALERT, NO_RENEGOTIATION))
    yield Talk("a flood of warnings", CLOSED, often, behind=saying(ALERT, USER_CANCELED, 160))
    yield Talk("a fatal alert", CLOSED, "RFC 8446 6.2: without another", behind=saying(ALERT, b"\2\x28"))
    yield Talk("an alert that nobody knows", CLOSED, "RFC 8446 6.2: fatal", behind=saying(ALERT, b"\1\xfa"))
    yield Talk("a request in records of one byte", SERVED, "RFC 8446 5.1", behind=in_tiny_records)
    yield Talk(
        "a message in records of one byte",
        CLOSED,
        "what copying it costs has a limit",
        [TLS13],
        behind=message_in_tiny_records,
    )
    yield Talk(
        "a record of noise", "bad_record_mac", "RFC 8446 5.2", behind=sending(record(APPLICATION_DATA, bytes(100)))
    )
    longest = "RFC 8446 5.2 has record_overflow"
    endless = bytes([APPLICATION_DATA, 3, 3, 0xFF, 0xFF])
    yield Talk("a record that is too long", "unexpected_message", longest, behind=sending(endless))
    yield Talk(
        "close_notify in plain text",
        "bad_record_mac",
        "RFC 5246 6.2.3: not authentic",
        [TLS12],
        behind=sending(wire.alert(1, 0)),
    )
    yield Talk(
        "close_notify in plain text",
        "unexpected_message",
        "RFC 8446 5: not authentic",
        [TLS13],
        behind=sending(wire.alert(1, 0)),
    )


def new_keys() -> Iterator[Talk]:
    def updating(times: int, answered: bool = False) -> Act:
        def act(client: OddClient) -> None:
            for _ in range(times):
                client.update_keys(answered)

        return act

    def with_value(value: int) -> Act:
        def act(client: OddClient) -> None:
            client.say(HANDSHAKE, KEY_UPDATE[:-1] + bytes([value]))

        return act

    rule = "RFC 8446 4.6.3"
    yield Talk("new keys, 5 times", SERVED, rule, [TLS13], behind=updating(5))
    yield Talk("new keys of both, 5 times", SERVED, rule, [TLS13], behind=updating(5, answered=True))
    yield Talk("a flood of KeyUpdate", CLOSED, "nobody needs so many", [TLS13], behind=updating(160))
    yield Talk("KeyUpdate with another value", "illegal_parameter", rule, [TLS13], behind=with_value(7))


def ends() -> Iterator[Talk]:
    def asking(ends: Callable[[OddClient], None], request: bytes = REQUEST) -> Act:
        def act(client: OddClient) -> None:
            if request:
                client.sendall(request)
            ends(client)

        return act

    def says_so(client: OddClient) -> None:
        client.say(ALERT, b"\1\0")

    decided = "decision 22: an end without close_notify is an end"
    yield Talk(
        "close_notify behind a request", SERVED, "RFC 8446 6.1: reads on", [TLS13], behind=asking(says_so), asked=True
    )
    yield Talk(
        "an end without close_notify, behind a request",
        SERVED,
        decided,
        behind=asking(OddClient.end_without_a_word),
        asked=True,
    )
    yield Talk("an end within a request", ENDED, decided, behind=asking(OddClient.end_without_a_word, REQUEST[:20]))
    yield Talk("nothing", ENDED, "RFC 8446 6.1: answered by close_notify", behind=asking(says_so, b""))
    yield Talk("nothing, and no close_notify", ENDED, decided, behind=asking(OddClient.end_without_a_word, b""))
