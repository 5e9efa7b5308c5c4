"""Makes the environ of a request (PEP 3333, "environ Variables")."""

import sys
from typing import Any
from urllib.parse import unquote_to_bytes

from handoff_worker.accelerator import make_environ
from handoff_worker.gateway.addresses import MOST_CLIENTS, MOST_HOSTS, client_address, either_server_address
from handoff_worker.gateway.bounded_cache import BoundedCache
from handoff_worker.protocol.certificates import pem_of
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.version import __version__
from handoff_worker.wsgi.file_wrapper import FileWrapper
from handoff_worker.wsgi.input import input_of

WITHOUT_HOST = "localhost"
"""The server's name for a client of HTTP/1.0 without a Host field. PEP 3333 wants a name that is not empty."""


class Environs:
    """Makes the environ of each request. Any thread may call `of`."""

    def __init__(self, multithread: bool, multiprocess: bool = True) -> None:
        """Whether several threads, and several processes, call the application."""
        # To copy this and set its keys takes half of what it takes to add them.
        self._model: dict[str, Any] = dict.fromkeys(_FOR_EACH_REQUEST) | {
            "SERVER_SOFTWARE": f"handoff/{__version__}",
            "wsgi.version": (1, 0),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": multithread,
            "wsgi.multiprocess": multiprocess,
            "wsgi.run_once": False,
            "wsgi.input_terminated": True,
            "wsgi.file_wrapper": FileWrapper,
        }

    def of(self, exchange: Exchange) -> dict[str, Any]:
        """
        The environ of a request. Its strings have one character for each octet (PEP 3333, "Unicode Issues").

        `RAW_URI` and `REQUEST_URI` are the target as the client sent it. `handoff.request_id` is the request's id in the logs of the
        core, and `handoff.deadline` is in seconds on `time.monotonic()`. Where the client has shown a certificate, `SSL_CLIENT_CERT` has it
        as PEM, and `SSL_CLIENT_S_DN` its subject, under the names of Apache's mod_ssl.
        """
        environ = None
        if make_environ is not None:
            environ = make_environ(exchange.json, exchange.deadline, self._model, _keys, _clients, _servers)
        if environ is None:
            environ = self._of_head(exchange)
        environ["wsgi.input"] = input_of(exchange)
        return environ

    def _of_head(self, exchange: Exchange) -> dict[str, Any]:
        environ = self._model.copy()
        head = exchange.head  # asked once, as in ASGI's scope
        _put_headers(head["headers"], environ)
        target, prefix, scheme = head["target"], head.get("prefix") or "", head.get("scheme") or "http"
        path, _, query = target.partition("?")
        environ["REQUEST_METHOD"] = head["method"]
        environ["SCRIPT_NAME"] = _decoded(prefix) if "%" in prefix else prefix
        path = path[len(prefix) :]
        # The asterisk of OPTIONS * is no path: it means the server as a whole (RFC 9110 section 9.3.7).
        environ["PATH_INFO"] = "" if target == "*" else _decoded(path) if "%" in path else path
        environ["QUERY_STRING"] = query
        environ["RAW_URI"] = environ["REQUEST_URI"] = target
        environ["wsgi.url_scheme"] = scheme
        if scheme == "https" and head.get("clientCertificate"):
            environ["SSL_CLIENT_VERIFY"] = "SUCCESS"
            environ["SSL_CLIENT_CERT"] = pem_of(head["clientCertificate"])
            environ["SSL_CLIENT_S_DN"] = (head.get("clientSubject") or "").encode().decode("latin-1")
        environ["SERVER_PROTOCOL"] = f"HTTP/{head['version']}"
        environ["REMOTE_ADDR"], environ["REMOTE_PORT"] = _client_of(head["client"])
        environ["handoff.request_id"] = head.get("requestId")
        environ["handoff.deadline"] = exchange.deadline
        server = _server_of(environ.get("HTTP_HOST", WITHOUT_HOST))[scheme == "https"]
        environ["SERVER_NAME"], environ["SERVER_PORT"] = server
        return environ


_FOR_EACH_REQUEST = (
    "REQUEST_METHOD",
    "SCRIPT_NAME",
    "PATH_INFO",
    "QUERY_STRING",
    "RAW_URI",
    "REQUEST_URI",
    "wsgi.url_scheme",
    "SERVER_PROTOCOL",
    "wsgi.input",
    "REMOTE_ADDR",
    "REMOTE_PORT",
    "handoff.request_id",
    "handoff.deadline",
    "SERVER_NAME",
    "SERVER_PORT",
)
"""The keys that `Environs.of` always sets."""


def _client(text: str) -> tuple[str, str]:
    address, port = client_address(text) or ("", "")
    return address, str(port)


def _server(host_header: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """Name and port where the scheme is http, and where it is https."""
    http, https = either_server_address(host_header)
    # An IPv6 address has its brackets here (RFC 3875 section 4.1.14), so that "name:port" can be read.
    name = f"[{http[0]}]" if ":" in http[0] else http[0]
    return (name, str(http[1])), (name, str(https[1]))


def _decoded(path: str) -> str:
    return unquote_to_bytes(path).decode("latin-1")


def _put_headers(headers: list[list[str]], environ: dict[str, Any]) -> None:
    repeated: dict[str, list[str]] | None = None
    for name, value in headers:
        key = _key_of(name)
        if key is None:
            continue
        if environ.get(key):
            repeated = {} if repeated is None else repeated
            repeated.setdefault(key, [environ[key]]).append(value)
        else:
            environ[key] = value
    if repeated is not None:
        for key, values in repeated.items():
            environ[key] = ("; " if key == "HTTP_COOKIE" else ", ").join(values)


def _key(name: str) -> str | None:
    """
    The name of a header in the environ.

    None for a name with an underscore, which is left out: with x_user any client could forge the HTTP_X_USER that a proxy sets with
    x-user.
    """
    if "_" in name:
        return None
    key = name.upper().replace("-", "_")
    return key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"


MOST_KEYS = 1024
"""The most names to keep, since clients choose them. A request has at most 100 fields."""

_keys = BoundedCache(MOST_KEYS, _key)
_clients = BoundedCache(MOST_CLIENTS, _client)
_servers = BoundedCache(MOST_HOSTS, _server)
_key_of, _client_of, _server_of = _keys.__getitem__, _clients.__getitem__, _servers.__getitem__
