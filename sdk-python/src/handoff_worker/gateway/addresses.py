"""Addresses as the core and clients write them, as the pairs that ASGI and WSGI want."""

from functools import lru_cache

from handoff_worker.gateway.bounded_cache import remembered

HTTP_PORT = 80


@lru_cache(maxsize=256)
def client_address(text: str) -> tuple[str, int]:
    """`203.0.113.9:51324` or `[2001:db8::1]:51324`, as in the key `client` of a request (docs/PROTOCOL.md, "request")."""
    host, _, port = text.rpartition(":")
    return host.strip("[]"), int(port)


@remembered(64)
def server_address(host_header: str) -> tuple[str, int]:
    """What a client meant by its Host field (RFC 9110 section 7.2); without a port it is that of http."""
    host, colon, port = host_header.rpartition(":")
    if not colon or port.endswith("]"):  # a colon inside the brackets of an IPv6 address is not one before a port
        host, port = host_header, ""
    # Without its zeros: the core lets any number of them pass, and Python no more than 4,300 digits.
    return host.strip("[]"), int(port.lstrip("0") or 0) if port else HTTP_PORT
