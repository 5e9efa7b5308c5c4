"""Reads addresses as the core and clients write them, into the pairs of ASGI and WSGI."""

from handoff_worker.gateway.bounded_cache import BoundedCache

HTTP_PORT = 80
HTTPS_PORT = 443
UNIX = "unix:0"
MOST_CLIENTS = 1024
"""Each connection of a client has an address of its own, by its port."""
MOST_HOSTS = 64


def _client_address(text: str) -> tuple[str, int] | None:
    if text == UNIX:
        return None
    host, _, port = text.rpartition(":")
    return host.strip("[]"), int(port)


def _either_server_address(host_header: str) -> tuple[tuple[str, int], tuple[str, int]]:
    host, colon, port = host_header.rpartition(":")
    if not colon or port.endswith("]"):  # a colon inside the brackets of an IPv6 address is not before a port
        host, port = host_header, ""
    name = host.strip("[]")
    if not port:
        return (name, HTTP_PORT), (name, HTTPS_PORT)
    # Without leading zeros: the core lets any number of them pass, and Python reads 4,300 digits at most.
    address = name, int(port.lstrip("0") or 0)
    return address, address


client_addresses: BoundedCache[tuple[str, int] | None] = BoundedCache(MOST_CLIENTS, _client_address)
"""
Address and port by `203.0.113.9:51324` or `[2001:db8::1]:51324`, the key `client` of a request (PROTOCOL.md, `request`).

None for whoever connected to a Unix socket.
"""

client_address = client_addresses.__getitem__

server_addresses = BoundedCache(MOST_HOSTS, _either_server_address)
"""
Name and port by a Host field (RFC 9110 section 7.2): where the scheme is http, and where it is https.

They differ where the field has no port: then it is that of the scheme.
"""

either_server_address = server_addresses.__getitem__
