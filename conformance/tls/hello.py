"""The first message of a client, as it is usual, or changed."""

from collections.abc import Mapping, Sequence
from typing import Any

from tls.library import ECDHKeyExchange, constants, extensions, messages

TLS12, TLS13 = (3, 3), (3, 4)

Suite = constants.CipherSuite
Extension = constants.ExtensionType
Group = constants.GroupName
Scheme = constants.SignatureScheme

SUITES = {
    TLS12: [
        Suite.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
        Suite.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        Suite.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA,
        Suite.TLS_RSA_WITH_AES_128_CBC_SHA,
    ],
    TLS13: [Suite.TLS_AES_128_GCM_SHA256, Suite.TLS_AES_256_GCM_SHA384],
}
SIGNATURES = [Scheme.ecdsa_secp256r1_sha256, Scheme.rsa_pss_rsae_sha256, Scheme.rsa_pkcs1_sha256]
NULL_COMPRESSION = [0]


def raw(kind: int, content: bytes) -> Any:
    """An extension, whatever is in it."""
    return extensions.TLSExtension(extType=kind).create(bytearray(content))


def sequence(*items: bytes, count_bytes: int = 2) -> bytes:
    """As TLS writes a list: its length, then all of it."""
    content = b"".join(items)
    return len(content).to_bytes(count_bytes, "big") + content


def server_name(name: bytes, kind: int = 0) -> bytes:
    return bytes([kind]) + sequence(name)


def names(*entries: bytes) -> Any:
    return raw(Extension.server_name, sequence(*entries))


def protocols(*offered: bytes) -> Any:
    return raw(Extension.alpn, sequence(*(sequence(each, count_bytes=1) for each in offered)))


def groups(*known: int) -> Any:
    return extensions.SupportedGroupsExtension().create(list(known))


def signatures(*known: int) -> Any:
    return raw(
        Extension.signature_algorithms,
        sequence(*((each if isinstance(each, int) else each[0] << 8 | each[1]).to_bytes(2, "big") for each in known)),
    )


def versions(*known: tuple[int, int]) -> Any:
    return extensions.SupportedVersionsExtension().create(list(known))


def key_share(group: int, public: bytes | None = None) -> bytes:
    if public is None:
        exchange = ECDHKeyExchange(group, TLS13)
        public = bytes(exchange.calc_public_value(exchange.get_random_private_key()))
    return group.to_bytes(2, "big") + sequence(public)


def key_shares(*shares: bytes) -> Any:
    return raw(Extension.key_share, sequence(*shares))


def usual_extensions(version: tuple[int, int]) -> dict[int, Any]:
    usual = [groups(Group.x25519, Group.secp256r1), signatures(*SIGNATURES)]
    if version == TLS13:
        usual += [versions(TLS13), key_shares(key_share(Group.x25519))]
    else:
        usual += [raw(Extension.renegotiation_info, b"\0"), raw(Extension.ec_point_formats, b"\1\0")]
    return {each.extType: each for each in usual}


def hello(
    version: tuple[int, int] = TLS13,
    *changed: Any,
    without: Sequence[int] = (),
    more: Sequence[Any] = (),
    said: tuple[int, int] = TLS12,
    suites: Sequence[int] | None = None,
    session: bytes = b"",
    compressions: Sequence[int] = NULL_COMPRESSION,
) -> bytes:
    """
    The message, without a record around it.

    changed: extensions in the place of the usual ones of their kind, or beside them
    without: kinds of extensions that it lacks
    more: extensions at the end, also when there is one of their kind
    said: the version in its old place (RFC 8446 section 4.1.2)
    """
    kept: Mapping[int, Any] = usual_extensions(version) | {each.extType: each for each in changed}
    message = messages.ClientHello().create(
        said, bytearray(range(32)), bytearray(session), list(suites or SUITES[version])
    )
    message.compression_methods = list(compressions)
    message.extensions = [each for kind, each in kept.items() if kind not in without] + list(more)
    return bytes(message.write())
