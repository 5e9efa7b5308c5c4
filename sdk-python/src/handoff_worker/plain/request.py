"""The request that a plain function gets."""

import time
from collections.abc import Callable
from contextvars import copy_context
from typing import Any
from urllib.parse import unquote

from handoff_worker.engine.blocking_body import BlockingBody
from handoff_worker.plain.body_stream import BodyStream, Source
from handoff_worker.plain.charsets import decoded
from handoff_worker.plain.computed_once import computed_once
from handoff_worker.plain.form import Form, read_form
from handoff_worker.plain.headers import Headers, parameter
from handoff_worker.plain.parameters import Parameters
from handoff_worker.protocol import json_codec
from handoff_worker.protocol.certificates import pem_of
from handoff_worker.protocol.exchange import Exchange


class BadRequest(ValueError):
    """
    The client sent something else than the handler asked for, such as text that is not JSON.

    Where a handler does not catch it, the client gets a 400 with its message, which tells the client nothing new.
    """


class Request:
    """
    One HTTP request.

    Its body is there when the handler is called, but for large ones: they come in pieces while it runs. Where the handler is no
    coroutine, what needs the body waits for it. A coroutine is called when the body is there, unless `streams_body` marks it.

    Each part is decoded when it is first asked for, and once. A request belongs to the handler that got it, and to its thread.
    """

    _source: Source | None = None
    """Where the body comes from; None once it is here."""
    _is_streamed = False
    _own_body: bytes | None = None
    """The body, once the exchange has given it away."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    @property
    def method(self) -> str:
        """The method: `GET`, `POST` or any other token. The letter case counts (RFC 9110 section 9.1)."""
        return self._exchange.method

    @property
    def target(self) -> str:
        """Path and query, or `*`, as the client sent them (RFC 9112 section 3.2)."""
        return self._exchange.target

    @computed_once
    def raw_path(self) -> str:
        """The path as the client sent it, without the query."""
        return self._exchange.target.partition("?")[0]

    @computed_once
    def path(self) -> str:
        """
        The path, percent-decoded as UTF-8. U+FFFD stands for octets that are not UTF-8.

        An encoded slash (`%2F`) looks like any other slash here. Take `raw_path` where the difference matters.
        """
        return unquote(self.raw_path) if "%" in self.raw_path else self.raw_path

    @computed_once
    def query_string(self) -> str:
        """The target behind its first `?`, as the client sent it; empty where there is none."""
        return self._exchange.target.partition("?")[2]

    @computed_once
    def query(self) -> Parameters:
        """The parameters of the query. Raises `BadRequest` for more than 1,000."""
        try:
            return Parameters.parse(self.query_string)
        except ValueError as problem:
            raise BadRequest(f"the query cannot be read: {problem}") from None

    @computed_once
    def headers(self) -> Headers:
        """The header fields, looked up in any letter case. The core has removed those of the connection (PROTOCOL.md, `request`)."""
        return Headers(self._exchange.headers)

    @property
    def body(self) -> bytes:
        """
        The whole body; empty where the request has none.

        That of a large request is waited for where the handler is no coroutine: `OSError` says that the client left, or the time
        was over, before it was there. In a coroutine with `streams_body` every body is there after `read`. Raises `RuntimeError` before
        that, and once `stream` was called.
        """
        if self._source is not None:
            if not isinstance(self._source, BlockingBody):
                raise RuntimeError("@streams_body gives the body in pieces: call 'await request.read()' first")
            self._exchange.body = self._source.read_all()
            self._source = None
        if self._is_streamed:
            raise RuntimeError("stream() has given the body of this request away")
        return self._exchange.body if self._own_body is None else self._own_body

    async def read(self) -> bytes:
        """The whole body, in a coroutine: waits for that of a large request. From then on `body`, `text()`, `json()` and `form` have it."""
        if self._source is not None and not isinstance(self._source, BlockingBody):
            self._exchange.body = await self._source.read_all()
            self._source = None
        return self.body

    def stream(self) -> BodyStream:
        """
        The body in pieces: for `for`, or in a coroutine for `async for`. A large one is never in memory as a whole.

        A small body is one piece. `body` and all that needs it raise `RuntimeError` afterwards, and so does a second call.
        Mark a coroutine with `streams_body`, else the body is there as a whole before it is called.
        """
        if self._is_streamed:
            raise RuntimeError("stream() has given the body of this request away")
        self._is_streamed = True
        source, self._source = self._source, None
        return BodyStream(source, self._exchange.body if self._own_body is None else self._own_body)

    def text(self) -> str:
        """
        The body as text in the charset of `Content-Type`, else in UTF-8.

        Raises `BadRequest` for a body that is not text in this charset, for two charsets, and for any charset but UTF-8, UTF-16,
        US-ASCII, ISO-8859-1 and Windows-1252.
        """
        try:
            charset = parameter(self.headers.get("content-type", ""), "charset") or "utf-8"
            return decoded(self.body, charset)
        except ValueError as problem:
            raise BadRequest(f"the body cannot be read: {problem}") from None

    def json(self) -> Any:
        """The value of the body as JSON (RFC 8259), whatever `Content-Type` says. Raises `BadRequest` for a body that is not JSON."""
        try:
            return json_codec.decode(self.body)
        except (ValueError, RecursionError):
            raise BadRequest("the body is not JSON") from None

    @computed_once
    def form(self) -> Form:
        """
        The fields and files of a form, `application/x-www-form-urlencoded` or `multipart/form-data`.

        Raises `BadRequest` for another content type, for a malformed form, and for more than 1,000 fields. Raises `ImportError` for
        a multipart form where the package `multipart` is not installed (the extra `forms`).
        """
        try:
            return read_form(self.headers.get("content-type", ""), self.body)
        except ValueError as problem:
            raise BadRequest(f"the body is not a form: {problem}") from None

    @computed_once
    def cookies(self) -> dict[str, str]:
        """The cookies by name, as the client sent them (RFC 6265 section 4.2). The first of several with the same name."""
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
    def scheme(self) -> str:
        """What the client has spoken: `http`, or `https` over TLS or where a proxy that the core trusts says so."""
        return self._exchange.scheme

    @property
    def client_certificate(self) -> str | None:
        """
        The certificate that the client has shown over TLS, as PEM. The core has checked it.

        None where it has shown none, or `--tls-client-ca` does not ask for one.
        """
        encoded = self._exchange.client_certificate
        return pem_of(encoded) if encoded else None

    @property
    def client_subject(self) -> str | None:
        """Whose certificate that is, such as `CN=billing,O=Example` (RFC 4514)."""
        return self._exchange.client_subject

    @property
    def prefix(self) -> str:
        """The beginning of `raw_path` below which the route serves this handler; empty for the root. `path` has it too."""
        return self._exchange.prefix

    @property
    def version(self) -> str:
        """The HTTP version of the client: `1.1` or `1.0`."""
        return self._exchange.version

    @property
    def id(self) -> str | None:
        """What logs call the request; None where the core gives no ids."""
        return self._exchange.request_id

    @property
    def deadline(self) -> float:
        """When the core stops waiting and answers 504, in seconds on `time.monotonic()`."""
        return self._exchange.deadline

    @property
    def seconds_left(self) -> float:
        """The seconds until the deadline; negative when it has passed."""
        return self._exchange.deadline - time.monotonic()

    @property
    def cancelled(self) -> str | None:
        """
        Why nobody waits for the response any more: `client_gone`, `deadline` or `drain`; None as long as somebody waits.

        A coroutine need not look, since it is cancelled.
        """
        return self._exchange.cancelled

    def on_cancel(self, callback: Callable[[str], None]) -> None:
        """
        Calls `callback` with the reason when nobody waits for the response any more, at once where that is so already.

        The call may come on another thread, and has the context variables of now. The log tells of exceptions that `callback` raises.
        """
        context = copy_context()
        self._exchange.on_cancel(lambda reason: context.run(callback, reason))

    def __repr__(self) -> str:
        return f"<Request {self.method} {self.raw_path}>"  # logs have it, and the query may hold secrets


def leave_body_to(request: Request) -> None:
    """Makes the body the request's alone, so that it is in memory as long as the handler keeps the request, and no longer."""
    exchange = request._exchange
    request._own_body, exchange.body = exchange.body, b""


def large_request(exchange: Exchange, source: Source) -> Request:
    """A request whose body comes in pieces, from `source`."""
    request = Request(exchange)
    request._source = source
    return request
