"""The scope of an HTTP connection, which in ASGI is one request."""

from typing import Any
from urllib.parse import unquote

from handoff_worker.gateway.addresses import client_address, server_address
from handoff_worker.protocol.exchange import Exchange

# In version 2.4 `send` raises an OSError when the client has left, and frameworks need no task of their own to notice it.
VERSION = {"version": "3.0", "spec_version": "2.4"}


def scope_of(exchange: Exchange, state: dict[str, Any]) -> dict[str, Any]:
    """The scope as the ASGI specification ("HTTP connection scope") asks for it.

    The scheme is http: the core speaks nothing else, and what a proxy in front of it spoke is for the application's own
    middleware to believe or not. The method is as it came, where ASGI wants it in upper case: its letter case counts (RFC 9110
    section 9.1), and the core has sent `post` where nobody asks for POST. `extensions["handoff"]` has what only the core knows: the request's id in its logs, and
    the deadline on the clock of `time.monotonic()`.
    """
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in exchange.headers]
    path, _, query = exchange.target.partition("?")
    return {
        "type": "http",
        "asgi": VERSION.copy(),
        "http_version": exchange.version,
        "method": exchange.method,
        "scheme": "http",
        "path": unquote(path) if "%" in path else path,
        "raw_path": path.encode("ascii"),
        "query_string": query.encode("ascii"),
        "root_path": "",
        "headers": headers,
        "client": client_address(exchange.client),
        "server": _server(headers),
        "state": state.copy(),
        "extensions": {"handoff": {"request_id": exchange.request_id, "deadline": exchange.deadline}},
    }


def _server(headers: list[tuple[bytes, bytes]]) -> tuple[str, int] | None:
    for name, value in headers:
        if name == b"host":
            return server_address(value.decode("latin-1"))
    return None
