"""Clients that reach a proxy over TLS, from an address of their own."""

import http.client
import json
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from live.process import LIMIT_SECONDS, LOOK_SECONDS

NAME = "app.example.org"
ADDRESS = "127.0.0.2"

PIECE = b"x" * 16_384


@dataclass(frozen=True)
class Answer:
    status: int
    fields: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        assert self.status == 200, self
        return json.loads(self.body)


@dataclass(frozen=True)
class Site:
    """What a proxy serves, and the certificate by which it is known."""

    port: int
    certificate: Path

    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.certificate)

    @contextmanager
    def connect(self) -> Iterator[ssl.SSLSocket]:
        with (
            socket.create_connection(("127.0.0.1", self.port), LIMIT_SECONDS, source_address=(ADDRESS, 0)) as plain,
            self.trust().wrap_socket(plain, server_hostname=NAME) as encrypted,
        ):
            yield encrypted

    def ask(
        self, method: str, target: str, body: bytes | None = None, fields: Mapping[str, str] | None = None
    ) -> Answer:
        """On a connection of its own."""
        with self.connect() as connected:
            return ask(over(connected), method, target, body, fields)

    def send_on(self, head: bytes) -> bytes:
        """Sends one piece of a body after the other until a whole head of an answer is there."""
        deadline = time.monotonic() + LIMIT_SECONDS
        told = b""
        with self.connect() as connected:
            connected.sendall(head)
            while b"\r\n\r\n" not in told:
                assert time.monotonic() < deadline, f"an answer within {LIMIT_SECONDS:.0f} s, beyond {told!r}"
                try:
                    connected.settimeout(LOOK_SECONDS)
                    told += connected.recv(65536)
                except TimeoutError:
                    connected.settimeout(LIMIT_SECONDS)
                    connected.sendall(PIECE)
        return told

    def exchange(self, raw: bytes) -> bytes:
        """What comes back for these bytes, until the proxy closes the connection."""
        with self.connect() as connected:
            connected.sendall(raw)
            return b"".join(iter(lambda: connected.recv(65536), b""))


def over(connected: socket.socket) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection(NAME)
    connection.sock = connected
    connection.auto_open = 0
    return connection


def ask(
    connection: http.client.HTTPConnection,
    method: str,
    target: str,
    body: bytes | None = None,
    fields: Mapping[str, str] | None = None,
) -> Answer:
    connection.request(method, target, body, fields or {})
    return read(connection.getresponse())


def read(response: http.client.HTTPResponse) -> Answer:
    names = {name.lower(): value for name, value in response.getheaders()}
    return Answer(response.status, names, response.read())
