"""One request on its way through a WSGI application."""

from collections.abc import Callable, Iterable
from http import HTTPStatus
from types import TracebackType
from typing import Any

from handoff_worker.engine.blocking_response import BlockingResponse, send_large
from handoff_worker.engine.gathered_events import tell_gathered
from handoff_worker.gateway.bounded_cache import BoundedCache
from handoff_worker.gateway.client_gone import ClientGone
from handoff_worker.gateway.gathering_budget import GatheringBudget
from handoff_worker.protocol.content_length import DeclaredLength, contradiction
from handoff_worker.protocol.exchange import BodyTooLarge, Exchange
from handoff_worker.wsgi.file_wrapper import FileWrapper

Headers = list[tuple[str, str]]
Environ = dict[str, Any]
ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None]
WsgiApp = Callable[[Environ, Callable[..., Callable[[bytes], None]]], Iterable[bytes]]

MOST_WHOLE_FILE_BYTES = 1024 * 1024
"""A file that is larger leaves in pieces, so that it is never in memory as a whole."""

READ_BYTES = 64 * 1024


class Call:
    """
    Passes on what the application gives, until the response is whole or nobody waits for it any more.

    A list is gathered, and so is everything where the core takes no pieces. Lives on the thread that runs the application. A cancel may come from another thread at any moment.
    """

    __slots__ = ("_budget", "_bytes", "_chunks", "_exchange", "_gathered", "_headers", "_limit", "_parts", "_status")

    def __init__(self, exchange: Exchange, budget: GatheringBudget) -> None:
        self._exchange = exchange
        self._budget = budget
        self._gathered = 0
        self._limit = exchange.body_limit
        self._status: str | None = None
        self._headers: Headers = []
        self._chunks: list[bytes] = []
        self._bytes = 0
        self._parts: BlockingResponse | None = None
        """The response, where it comes in parts and the core takes pieces."""

    def run(self, app: WsgiApp, environ: Environ) -> None:
        """Calls the application and answers the request. Raises what the application raises, and for a response that breaks a rule."""
        try:
            self._gather(app(environ, self.start_response))
            self._answer()
        finally:
            if self._parts is not None:
                self._parts.close()
            if self._gathered:
                self._budget.release(self._gathered)

    def start_response(
        self, status: str, headers: Headers, exc_info: ExceptionInfo | None = None
    ) -> Callable[[bytes], None]:
        """
        Takes status and headers (PEP 3333, "The start_response() Callable"), and returns `write`.

        With `exc_info` they replace the former ones, unless a part of the body was given already: then the exception is raised
        again. Without `exc_info` a second call raises `RuntimeError`.
        """
        if exc_info is not None:
            try:
                if self._bytes:
                    raise exc_info[1].with_traceback(exc_info[2])
            finally:
                exc_info = None  # a traceback that refers to its own frame lives until the next garbage collection
        elif self._status is not None:
            raise RuntimeError("the application called start_response twice without exc_info")
        self._status = status
        self._headers = headers
        return self.write

    def write(self, chunk: bytes) -> None:
        """
        Adds a part to the body. `start_response` returns it for old applications, which give no iterable.

        Raises `TypeError` for a part that is not bytes, `RuntimeError` before `start_response`, `ValueError` when the body is larger
        than the core takes, and `ClientGone` when nobody waits for the response any more: only so does the application come to know.
        """
        if self._exchange.may_stream:
            self._send(chunk)
        else:
            self._keep(chunk)
        if self._exchange.cancelled is not None:
            raise ClientGone(f"nobody waits for this response any more: {self._exchange.cancelled}")

    def _send(self, chunk: bytes) -> None:
        """Takes a part that need not wait for the end of the response."""
        if not self._is_part(chunk):
            return
        assert self._status is not None, "a part has a status"
        self._bytes += len(chunk)
        if self._parts is None:
            status, reason = _status_of(self._status)
            if not self._chunks:
                length = DeclaredLength(self._exchange.method, status, self._headers)
                if length.declared == len(chunk):  # all is here: what most frameworks give comes by an iterator
                    self._chunks.append(chunk)
                    return
            self._parts = BlockingResponse(self._exchange, status, self._headers, reason)
            for earlier in self._chunks:
                self._parts.write(earlier)
            self._chunks.clear()
        self._parts.write(chunk)

    def _is_part(self, chunk: bytes) -> bool:
        """Whether there is something in it, and somebody who waits for it."""
        if not isinstance(chunk, bytes):
            raise TypeError(f"the application gave {type(chunk).__name__} as a part of the body, which has to be bytes")
        if not chunk:
            return False
        if self._status is None:
            raise RuntimeError("the application gave a part of the body before it called start_response")
        if self._exchange.cancelled is not None:
            self._chunks.clear()
            return False
        return True

    def _keep(self, chunk: bytes) -> None:
        """Takes a part that leaves with all others."""
        if not self._is_part(chunk):
            return
        self._bytes += len(chunk)
        if self._bytes > self._limit and not self._exchange.may_stream:
            raise ValueError(
                f"the response is larger than the {self._limit} bytes that the core takes (--max-response)"
            )
        if self._chunks and not self._exchange.may_stream:
            tell_gathered(self._headers)
            self._budget.take(self._exchange, self._bytes - self._gathered)
            self._gathered = self._bytes
        self._chunks.append(chunk)

    def _gather(self, result: Iterable[bytes]) -> None:
        if type(result) is list or type(result) is tuple:  # which is no file, and need not be closed
            self._gather_parts(result, self._keep if self._parts is None else self._send)
            return
        try:
            if isinstance(result, FileWrapper):
                self._gather_file(result)
            elif isinstance(result, bytes):
                # The body itself in place of a list with it, as in `return (b"hello")`: its items are numbers, which cannot be meant.
                self._keep(result)
            else:
                gathers = self._parts is None and not self._exchange.may_stream
                self._gather_parts(result, self._keep if gathers else self._send)
        finally:
            close = getattr(result, "close", None)
            if close is not None:
                close()

    def _gather_parts(self, parts: Iterable[bytes], take: Callable[[bytes], None]) -> None:
        for part in parts:
            take(part)
            if self._exchange.cancelled is not None:
                break

    def _gather_file(self, wrapper: FileWrapper) -> None:
        read = wrapper.file.read
        if not self._exchange.may_stream:
            self._keep(read(self._limit + 1))
            return
        chunk = read(MOST_WHOLE_FILE_BYTES)
        following = read(READ_BYTES) if chunk else b""
        if not following and self._parts is None:
            self._keep(chunk)
            return
        self._send(chunk)
        while following and self._exchange.cancelled is None:
            self._send(following)
            following = read(READ_BYTES)

    def _answer(self) -> None:
        if self._parts is not None and self._exchange.cancelled is None:
            self._parts.end()
            if self._exchange.cancelled is None:
                return
        if self._exchange.cancelled is not None:  # the body may be incomplete, and nobody waits for it
            self._exchange.fail(f"cancelled: {self._exchange.cancelled}")
            return
        if self._status is None:
            raise RuntimeError("the application never called start_response")
        status, reason = _status_of(self._status)
        body = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        wrong = contradiction(self._exchange, status, self._headers, len(body))
        if wrong:
            raise RuntimeError(wrong)
        try:
            self._exchange.answer(status, self._headers, body, reason)
        except BodyTooLarge:
            if not self._exchange.may_stream:
                raise
            send_large(self._exchange, status, self._headers, body, reason)


def _status(line: str) -> tuple[int, str | None]:
    """The number of `404 Not Found`, and its reason; None for the usual one, which the core knows. Raises `ValueError`."""
    number, _, reason = line.partition(" ")
    if len(number) != 3 or not number.isascii() or not number.isdigit():
        raise ValueError(f"the application gave the status {line!r}, which is not three digits and a reason")
    return int(number), reason if reason and reason != _usual(int(number)) else None


def _usual(status: int) -> str | None:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return None


# Bounded, since an application may make up reasons from what clients send.
_status_of = BoundedCache(128, _status).__getitem__
