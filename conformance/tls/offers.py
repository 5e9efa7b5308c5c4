"""What clients offer in their first message, and what each gets for it."""

from collections.abc import Callable, Iterator
from typing import Any

from tls.cases import GREASE, Case
from tls.hello import (
    SUITES,
    TLS12,
    TLS13,
    Extension,
    Group,
    Suite,
    groups,
    hello,
    key_share,
    key_shares,
    names,
    protocols,
    raw,
    sequence,
    server_name,
    signatures,
    versions,
)
from tls.wire import (
    ENCRYPTED_ALERT,
    SERVER_HELLO,
    handshake,
)


def all_offers() -> Iterator[Case]:
    yield from versions_and_suites()
    yield from keys()
    yield from server_names()
    yield from application_protocols()
    yield from long_lists()


def versions_and_suites() -> Iterator[Case]:
    for name, old in {"SSL 3": (3, 0), "TLS 1.0": (3, 1), "TLS 1.1": (3, 2)}.items():
        rule = "RFC 8446 4.2.1, RFC 5246 E.1, RFC 8996: protocol_version"
        yield Case(f"{name} only", handshake(hello(TLS12, said=old)), "protocol_version", rule)
    yield Case(
        "versions without one that we speak",
        handshake(hello(TLS13, versions((3, 2), (3, 9)))),
        "protocol_version",
        "RFC 8446 4.2.1",
    )
    yield Case(
        "a version of the future in the old place",
        handshake(hello(TLS12, said=(3, 9))),
        SERVER_HELLO,
        "RFC 5246 E.1: the highest that both speak",
    )
    yield Case("TLS 1.4 beside 1.3", handshake(hello(TLS13, versions((3, 5), TLS13))), SERVER_HELLO, "RFC 8446 4.2.1")
    yield Case(
        "a version that nobody knows",
        handshake(hello(TLS13, versions((0x1A, 0x1A), TLS13), raw(GREASE, b"\0"))),
        SERVER_HELLO,
        "RFC 8701",
    )
    for version in (TLS12, TLS13):
        suites = [GREASE, *SUITES[version]]
        yield Case(
            f"a suite that nobody knows, {version}", handshake(hello(version, suites=suites)), SERVER_HELLO, "RFC 8701"
        )
        yield Case(
            f"suites that nobody knows, {version}",
            handshake(hello(version, suites=[GREASE])),
            "handshake_failure",
            "RFC 8446 4.1.1",
        )
    for what, suites in {
        "CBC": [Suite.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA],
        "no forward secrecy": [Suite.TLS_RSA_WITH_AES_128_GCM_SHA256],
        "no encryption": [Suite.TLS_RSA_WITH_NULL_SHA256],
        "no certificate": [Suite.TLS_ECDH_ANON_WITH_AES_128_CBC_SHA],
        "suites of TLS 1.3": SUITES[TLS13],
    }.items():
        yield Case(f"{what} only", handshake(hello(TLS12, suites=suites)), "handshake_failure", "RFC 5246 7.4.1.3")
    fallback = [Suite.TLS_FALLBACK_SCSV, *SUITES[TLS12]]
    yield Case(
        "a fallback that was not needed",
        handshake(hello(TLS12, suites=fallback)),
        SERVER_HELLO,
        "RFC 7507 3 has inappropriate_fallback; the JDK knows only the mark of RFC 8446 4.1.3",
    )


def keys() -> Iterator[Case]:
    # In TLS 1.3 the server has chosen keys by then.
    for version, failure in {TLS12: "handshake_failure", TLS13: ENCRYPTED_ALERT}.items():
        yield Case(
            f"signatures by SHA-1 only, {version}",
            handshake(hello(version, signatures(0x0201, 0x0203))),
            "handshake_failure",
            "RFC 8446 4.4.2.2",
        )
        yield Case(
            f"signatures by other keys only, {version}",
            handshake(hello(version, signatures(0x0807, 0x0808))),
            failure,
            "RFC 8446 4.4.2.2",
        )
    yield Case(
        "groups that nobody knows in TLS 1.2",
        handshake(hello(TLS12, groups(GREASE))),
        "handshake_failure",
        "RFC 8422 4",
    )
    unknown = [groups(GREASE), key_shares(key_share(GREASE, b"x"))]
    yield Case(
        "groups that nobody knows in TLS 1.3",
        handshake(hello(TLS13, *unknown)),
        "unexpected_message",
        "RFC 8446 4.1.1 has handshake_failure",
    )
    yield Case("no keys yet", handshake(hello(TLS13, key_shares())), "HelloRetryRequest", "RFC 8446 4.2.8")
    yield Case(
        "two keys for a group",
        handshake(hello(TLS13, key_shares(key_share(Group.x25519), key_share(Group.x25519)))),
        SERVER_HELLO,
        "RFC 8446 4.2.8: servers may check this",
    )
    yield Case(
        "a key for a group that is not offered",
        handshake(hello(TLS13, key_shares(key_share(Group.secp384r1)))),
        SERVER_HELLO,
        "RFC 8446 4.2.8: servers may check this",
    )
    yield Case(
        "a key of zeros",
        handshake(hello(TLS13, key_shares(key_share(Group.x25519, bytes(32))))),
        "handshake_failure",
        "RFC 8446 7.4.2 has illegal_parameter; the JDK says internal_error",
    )
    yield Case(
        "a key that is too short",
        handshake(hello(TLS13, key_shares(key_share(Group.x25519, bytes(31))))),
        "handshake_failure",
        "RFC 8446 4.2.8.2 has illegal_parameter; the JDK says internal_error",
    )
    yield Case(
        "a point that is not on the curve",
        handshake(hello(TLS13, key_shares(key_share(Group.secp256r1, b"\4" + bytes(64))))),
        "handshake_failure",
        "RFC 8446 4.2.8.2 has illegal_parameter; the JDK says internal_error",
    )
    yield Case(
        "no signatures",
        handshake(hello(TLS13, without=[Extension.signature_algorithms])),
        "missing_extension",
        "RFC 8446 4.2.3",
    )
    yield Case(
        "no groups", handshake(hello(TLS13, without=[Extension.supported_groups])), "missing_extension", "RFC 8446 9.2"
    )
    yield Case("no keys", handshake(hello(TLS13, without=[Extension.key_share])), "missing_extension", "RFC 8446 9.2")
    psk = raw(
        Extension.pre_shared_key,
        sequence(sequence(b"unknown") + bytes(4)) + sequence(sequence(bytes(32), count_bytes=1)),
    )
    modes = raw(Extension.psk_key_exchange_modes, sequence(b"\1", count_bytes=1))
    yield Case(
        "a ticket of another server",
        handshake(hello(TLS13, modes, psk)),
        SERVER_HELLO,
        "RFC 8446 4.2.11: unknown ones are ignored",
    )
    yield Case(
        "a ticket before other extensions",
        handshake(hello(TLS13, modes, psk, raw(GREASE, b""))),
        SERVER_HELLO,
        "RFC 8446 4.2.11 has illegal_parameter; the JDK looks at tickets of its own only",
    )
    yield Case(
        "a ticket without modes",
        handshake(hello(TLS13, psk)),
        "illegal_parameter",
        "RFC 8446 4.2.9 has missing_extension",
    )
    yield Case(
        "a ticket of TLS 1.2 of another server",
        handshake(hello(TLS12, raw(Extension.session_ticket, bytes(200)))),
        SERVER_HELLO,
        "RFC 5077 3.4",
    )
    yield Case(
        "a session that is not known", handshake(hello(TLS12, session=bytes(32))), SERVER_HELLO, "RFC 5246 7.4.1.2"
    )


def server_names() -> Iterator[Case]:
    known, second = server_name(b"localhost"), server_name(b"other.example")
    labels = b".".join([b"a" * 62, b"b" * 62, b"c" * 62])
    for name, entries, expected, rule in (
        ("of the first certificate", [known], SERVER_HELLO, "RFC 6066 3"),
        ("of the second certificate", [second], SERVER_HELLO, "RFC 6066 3"),
        ("that nobody has", [server_name(b"nobody.example")], SERVER_HELLO, "RFC 6066 3: gets the first certificate"),
        ("of 188 bytes", [server_name(labels)], SERVER_HELLO, "RFC 6066 3"),
        ("that is an address", [server_name(b"127.0.0.1")], SERVER_HELLO, "RFC 6066 3 forbids it to the client"),
        ("in UTF-8", [server_name("bücher.example".encode())], SERVER_HELLO, "RFC 4366 3.1"),
        ("of another kind", [server_name(b"x", 7)], "unrecognized_name", "RFC 6066 3 has one kind"),
        ("with a zero byte", [server_name(b"local\0host")], "illegal_parameter", "RFC 6066 3: no name of a host"),
        ("with a dot at its end", [server_name(b"localhost.")], "illegal_parameter", "RFC 6066 3"),
        ("that is empty", [server_name(b"")], "decode_error", "RFC 6066 3: <1..2^16-1>"),
        ("in an empty list", [], "decode_error", "RFC 6066 3: <1..2^16-1>"),
        ("beside another", [known, second], "illegal_parameter", "RFC 6066 3: one of each kind"),
    ):
        yield Case(f"a name {name}", handshake(hello(TLS13, names(*entries))), expected, rule)
    twice = hello(TLS13, names(known), more=[names(second)])
    yield Case("names twice", handshake(twice), SERVER_HELLO, "RFC 8446 4.2 forbids it to the client")
    yield Case("no list of names", handshake(hello(TLS13, raw(0, b""))), "decode_error", "RFC 6066 3")


def application_protocols() -> Iterator[Case]:
    only_h2 = handshake(hello(TLS12, protocols(b"h2")))
    yield Case("h2 only, in TLS 1.2", only_h2, "no_application_protocol", "RFC 7301 3.2")
    for name, offered, expected, rule in (
        ("h2 only", [b"h2"], "no_application_protocol", "RFC 7301 3.2"),
        ("h2 and http/1.1", [b"h2", b"http/1.1"], SERVER_HELLO, "RFC 7301 3.2"),
        ("http/1.0", [b"http/1.0"], SERVER_HELLO, "RFC 7301 3.2"),
        ("a protocol that nobody knows", [b"\x1a\x1a"], "no_application_protocol", "RFC 7301 3.2, RFC 8701"),
        ("an empty protocol", [b"", b"http/1.1"], "decode_error", "RFC 7301 3.1: <1..2^8-1>"),
        ("no protocol", [], "decode_error", "RFC 7301 3.1: <2..2^16-1>"),
        ("http/1.1 in upper case", [b"HTTP/1.1"], "no_application_protocol", "RFC 7301 3.1: compared as bytes"),
    ):
        yield Case(name, handshake(hello(TLS13, protocols(*offered))), expected, rule)


def long_lists() -> Iterator[Case]:
    """Which a server may not be made to keep; no rule of an RFC's says how long is too long."""
    scheme, name = 0x0403, b"http/1.1"
    lists: dict[str, Callable[[int], list[Any]]] = {
        "signatures": lambda count: [signatures(*[scheme] * count)],
        "groups": lambda count: [groups(*[Group.x25519, Group.secp256r1] * (count // 2))],
        "protocols": lambda count: [protocols(*[name] * (count // 5))],
    }
    for version in (TLS12, TLS13):
        for what, made in lists.items():
            enough, too_many = made(250), made(300)
            yield Case(f"250 {what}, {version}", handshake(hello(version, *enough)), SERVER_HELLO, "none")
            yield Case(f"300 {what}, {version}", handshake(hello(version, *too_many)), "illegal_parameter", "none")
        suites = SUITES[version] * 300
        yield Case(f"many suites, {version}", handshake(hello(version, suites=suites)), "illegal_parameter", "none")
        whole = hello(version, signatures(*[scheme] * 8000))
        yield Case(f"8,000 signatures, {version}", handshake(whole), "illegal_parameter", "none")
    shares = [key_share(GREASE, bytes(100))] * 50
    yield Case("many keys", handshake(hello(TLS13, key_shares(*shares))), "illegal_parameter", "none")
    yield Case(
        "many signatures once the server has asked again",
        handshake(hello(TLS13, key_shares())) + handshake(hello(TLS13, signatures(*[scheme] * 300))),
        "illegal_parameter",
        "none",
    )
