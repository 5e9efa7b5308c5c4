"""Makes the scope of a request."""

from typing import Any
from urllib.parse import unquote

from handoff_worker.accelerator import make_scope
from handoff_worker.gateway.addresses import client_address, client_addresses, either_server_address, server_addresses
from handoff_worker.protocol.certificates import pem_of
from handoff_worker.protocol.exchange import Exchange

# From version 2.4 on `send` raises an OSError when the client has left, so frameworks need no task of their own to notice it.
VERSION = {"version": "3.0", "spec_version": "2.4"}

_MODEL: dict[str, Any] = {
    "type": "http",
    "asgi": None,
    "http_version": None,
    "method": None,
    "scheme": None,
    "path": None,
    "raw_path": None,
    "query_string": None,
    "root_path": None,
    "headers": None,
    "client": None,
    "server": None,
    "state": None,
    "extensions": None,
}
"""What the accelerator copies: the keys, in their order."""


def scope_of(exchange: Exchange, state: dict[str, Any]) -> dict[str, Any]:
    """
    The scope that the ASGI specification asks for ("HTTP Connection Scope"). `state`: the application's, copied for the request.

    The scheme is what the core believes: http, or https over TLS or where a proxy that it trusts says so. `path` has the prefix of the
    route, which is `root_path`. The method is as the client sent it, and not turned to upper case as ASGI has it: its letter case counts
    (RFC 9110 section 9.1), so `post` is not POST. `extensions["handoff"]` has the request's id in the logs of the core, and the deadline in
    seconds on `time.monotonic()`. `extensions["tls"]` is there where the client has shown a certificate ("TLS Extension"); what the core
    does not tell of the connection is None in it.
    """
    if make_scope is not None:
        scope = make_scope(exchange.json, exchange.deadline, state, _MODEL, VERSION, client_addresses, server_addresses)
        if scope is not None:
            return scope
    head = exchange.head  # asked once: a property for each part would take a twentieth of the request
    # A name is a token, so in ASCII. To ask for that by name takes twice as long.
    headers = [(name.encode(), value.encode("latin-1")) for name, value in head["headers"]]
    path, _, query = head["target"].partition("?")
    scheme, prefix = head.get("scheme") or "http", head.get("prefix")
    extensions: dict[str, Any] = {"handoff": {"request_id": head.get("requestId"), "deadline": exchange.deadline}}
    if scheme == "https" and head.get("clientCertificate"):
        extensions["tls"] = _tls(head["clientCertificate"], head.get("clientSubject"))
    return {
        "type": "http",
        "asgi": VERSION.copy(),
        "http_version": head["version"],
        "method": head["method"],
        "scheme": scheme,
        "path": unquote(path) if "%" in path else path,
        "raw_path": path.encode("ascii"),
        "query_string": query.encode("ascii") if query else b"",
        "root_path": unquote(prefix) if prefix else "",
        "headers": headers,
        "client": client_address(head["client"]),
        "server": _server(head["headers"], scheme),
        "state": state.copy(),
        "extensions": extensions,
    }


def web_socket_scope_of(exchange: Exchange, state: dict[str, Any]) -> dict[str, Any]:
    """
    The scope of a WebSocket ("WebSocket Connection Scope"). `state`: as for `scope_of`.

    The core drops the fields that speak of the connection. Two of them are put back, since python-engineio looks for them.
    """
    scope = scope_of(exchange, state)
    del scope["method"]
    scope["type"] = "websocket"
    scope["scheme"] = "wss" if exchange.scheme == "https" else "ws"
    scope["subprotocols"] = exchange.subprotocols or []
    scope["headers"] += [(b"connection", b"Upgrade"), (b"upgrade", b"websocket")]
    scope["extensions"]["websocket.http.response"] = {}
    return scope


def _server(headers: list[list[str]], scheme: str) -> tuple[str, int] | None:
    for name, value in headers:
        if name == "host":
            return either_server_address(value)[scheme == "https"]
    return None


def _tls(certificate: str, subject: str | None) -> dict[str, Any]:
    return {
        "server_cert": None,
        "client_cert_chain": [pem_of(certificate)],
        "client_cert_name": subject or None,
        "client_cert_error": None,
        "tls_version": None,
        "cipher_suite": None,
    }
