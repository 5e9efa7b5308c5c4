"""Reads addresses as the core and clients write them, into the pairs of ASGI and WSGI."""

from functools import lru_cache

from handoff_worker.gateway.bounded_cache import bounded_cache

HTTP_PORT = 80
HTTPS_PORT = 443
UNIX = "unix:0"


@lru_cache(maxsize=256)
def client_address(text: str) -> tuple[str, int] | None:
    """
    Address and port of `203.0.113.9:51324` or `[2001:db8::1]:51324`, the key `client` of a request (PROTOCOL.md, `request`).

    None for whoever connected to a Unix socket.
    """
    if text == UNIX:
        return None
    host, _, port = text.rpartition(":")
    return host.strip("[]"), int(port)


def server_address(host_header: str, scheme: str) -> tuple[str, int]:
    """Name and port of a Host field (RFC 9110 section 7.2). Without a port in the field it is that of the scheme."""
    return _with_either_port(host_header)[scheme == "https"]


@bounded_cache(64)
def _with_either_port(host_header: str) -> tuple[tuple[str, int], tuple[str, int]]:
    """The address where the scheme is http, and where it is https."""
    host, colon, port = host_header.rpartition(":")
    if not colon or port.endswith("]"):  # a colon inside the brackets of an IPv6 address is not before a port
        host, port = host_header, ""
    name = host.strip("[]")
    if not port:
        return (name, HTTP_PORT), (name, HTTPS_PORT)
    # Without leading zeros: the core lets any number of them pass, and Python reads 4,300 digits at most.
    address = name, int(port.lstrip("0") or 0)
    return address, address
