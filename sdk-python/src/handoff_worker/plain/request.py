"""What a handler is given."""

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from handoff_worker.plain.charsets import decoded
from handoff_worker.plain.computed_once import computed
from handoff_worker.plain.form import Form, read_form
from handoff_worker.plain.headers import Headers, parameter
from handoff_worker.plain.parameters import Parameters
from handoff_worker.protocol import json_codec
from handoff_worker.protocol.exchange import Exchange


class BadRequest(ValueError):
    """
    What the client sent cannot be read as what the handler asked for.

    Where a handler lets it pass, the client gets a 400 with its message; it says nothing that the client doesn't know.
    """


class Request:
    """
    One HTTP request, whole: its body has arrived.

    Nothing is decoded before it is asked for, and then once. A request belongs to the handler that was given it.
    """

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    @property
    def method(self) -> str:
        """Case-sensitive, and any token (RFC 9110 section 9.1): `GET`, `POST`, …"""
        return self._exchange.method

    @property
    def target(self) -> str:
        """The request target as the client sent it (RFC 9112 section 3.2): path and query, or `*`."""
        return self._exchange.target

    @computed
    def raw_path(self) -> str:
        """The path as the client sent it, without the query."""
        return self._exchange.target.partition("?")[0]

    @computed
    def path(self) -> str:
        """
        The path, percent-decoded as UTF-8; U+FFFD stands for what is no UTF-8.

        An encoded slash (`%2F`) looks like any other here. Where that matters, take `raw_path`.
        """
        return unquote(self.raw_path) if "%" in self.raw_path else self.raw_path

    @computed
    def query_string(self) -> str:
        """What stands behind the first `?` of the target, as the client sent it; empty if nothing does."""
        return self._exchange.target.partition("?")[2]

    @computed
    def query(self) -> Parameters:
        """The parameters of the query; raises `BadRequest` if there are more than 1,000."""
        try:
            return Parameters.parse(self.query_string)
        except ValueError as problem:
            raise BadRequest(f"the query cannot be read: {problem}") from None

    @computed
    def headers(self) -> Headers:
        """The header fields, looked up in any letter case. Those of the client's connection are gone (PROTOCOL.md, `request`)."""
        return Headers(self._exchange.headers)

    @property
    def body(self) -> bytes:
        return self._exchange.body

    def text(self) -> str:
        """
        The body in the charset of `Content-Type`, else as UTF-8.

        Raises `BadRequest` if it is no such text, there are two charsets, or it is another than UTF-8, UTF-16, US-ASCII, ISO-8859-1 and
        Windows-1252.
        """
        try:
            charset = parameter(self.headers.get("content-type", ""), "charset") or "utf-8"
            return decoded(self._exchange.body, charset)
        except ValueError as problem:
            raise BadRequest(f"the body cannot be read: {problem}") from None

    def json(self) -> Any:
        """The body as JSON (RFC 8259), whatever its `Content-Type`; raises `BadRequest` if it is none."""
        try:
            return json_codec.decode(self._exchange.body)
        except (ValueError, RecursionError):
            raise BadRequest("the body is not JSON") from None

    @computed
    def form(self) -> Form:
        """
        The fields and files of a form, `application/x-www-form-urlencoded` or `multipart/form-data`.

        Raises `BadRequest` for another content type, for what is no form, and for more than 1,000 fields. Raises `ImportError` for a
        multipart form where the package `multipart` (the extra `forms`) is not installed.
        """
        try:
            return read_form(self.headers.get("content-type", ""), self._exchange.body)
        except ValueError as problem:
            raise BadRequest(f"the body is not a form: {problem}") from None

    @computed
    def cookies(self) -> dict[str, str]:
        """The cookies by name (RFC 6265 section 4.2), as the client sent them; of several with one name the first."""
        cookies: dict[str, str] = {}
        for pair in self.headers.get("cookie", "").split(";"):
            name, equals, value = pair.strip().partition("=")
            if equals and name not in cookies:
                cookies[name] = value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
        return cookies

    @property
    def client(self) -> str:
        """The peer of the connection as `address:port`, an IPv6 address in brackets. No header can forge it."""
        return self._exchange.client

    @property
    def version(self) -> str:
        """What the client speaks: `1.1` or `1.0`."""
        return self._exchange.version

    @property
    def id(self) -> str | None:
        """What to call the request in logs, if the core gives ids."""
        return self._exchange.request_id

    @property
    def deadline(self) -> float:
        """When the core gives up waiting and answers 504, on `time.monotonic()`."""
        return self._exchange.deadline

    @property
    def seconds_left(self) -> float:
        """Until the deadline; negative when it has passed."""
        return self._exchange.deadline - time.monotonic()

    @property
    def cancelled(self) -> str | None:
        """
        Why nobody waits for the answer any more: `client_gone`, `deadline` or `drain`; None as long as somebody does.

        A coroutine need not ask, since it is cancelled.
        """
        return self._exchange.cancelled

    def on_cancel(self, callback: Callable[[str], None]) -> None:
        """Has `callback` called with the reason when nobody waits any more, perhaps on another thread; at once if so already."""
        self._exchange.on_cancel(callback)

    def __repr__(self) -> str:
        return f"<Request {self.method} {self.target}>"
