"""One request on its way through a WSGI application."""

from collections.abc import Callable, Iterable
from http import HTTPStatus
from types import TracebackType
from typing import Any

from handoff_worker.gateway.bounded_cache import remembered
from handoff_worker.gateway.content_length import contradiction
from handoff_worker.gateway.gathering_budget import Gathering
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.wsgi.file_wrapper import FileWrapper

Headers = list[tuple[str, str]]
Environ = dict[str, Any]
ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None]
WsgiApp = Callable[[Environ, Callable[..., Callable[[bytes], None]]], Iterable[bytes]]


class Call:
    """Takes what the application gives, until there is a whole answer, or nobody waits for it any more.

    Lives on the thread that runs the application; a cancel comes from another one, at any moment.
    """

    __slots__ = ("_bytes", "_chunks", "_exchange", "_gathered", "_gathering", "_headers", "_limit", "_status")

    def __init__(self, exchange: Exchange, gathering: Gathering) -> None:
        self._exchange = exchange
        self._gathering = gathering
        self._gathered = 0
        self._limit = exchange.body_limit
        self._status: str | None = None
        self._headers: Headers = []
        self._chunks: list[bytes] = []
        self._bytes = 0

    def run(self, app: WsgiApp, environ: Environ) -> None:
        """Calls the application and answers the request; raises what the application raises."""
        try:
            self._gather(app(environ, self.start_response))
            self._answer()
        finally:
            if self._gathered:
                self._gathering.release(self._gathered)

    def start_response(
        self, status: str, headers: Headers, exc_info: ExceptionInfo | None = None
    ) -> Callable[[bytes], None]:
        """Takes status and headers, as PEP 3333 says under "The start_response() Callable".

        With `exc_info` they replace those given before, unless a part of the body was given too: then that is raised
        again. Without it, a second call raises RuntimeError.
        """
        if exc_info is not None:
            try:
                if self._bytes:
                    raise exc_info[1].with_traceback(exc_info[2])
            finally:
                exc_info = None  # a traceback that refers to its own frame would live until the next collection
        elif self._status is not None:
            raise RuntimeError("the application called start_response twice, and without exc_info")
        self._status = status
        self._headers = headers
        return self.write

    def write(self, chunk: bytes) -> None:
        """Adds to the body. Also what `start_response` returns, for applications of the time before iterables."""
        if not isinstance(chunk, bytes):
            raise TypeError(f"the application gave {type(chunk).__name__} as a part of the body, which has to be bytes")
        if not chunk:
            return
        if self._status is None:
            raise RuntimeError("the application gave a part of the body before it called start_response")
        if self._exchange.cancelled is not None:
            self._chunks.clear()
            return
        self._bytes += len(chunk)
        if self._bytes > self._limit:
            raise ValueError(f"the answer is larger than the {self._limit} bytes that the core takes (--max-response)")
        if self._chunks:
            self._gathering.take(self._exchange, self._bytes - self._gathered)
            self._gathered = self._bytes
        self._chunks.append(chunk)

    def _gather(self, result: Iterable[bytes]) -> None:
        try:
            if isinstance(result, FileWrapper):
                self.write(result.file.read(self._limit + 1))
            else:
                for chunk in result:
                    self.write(chunk)
                    if self._exchange.cancelled is not None:
                        break
        finally:
            close = getattr(result, "close", None)
            if close is not None:
                close()

    def _answer(self) -> None:
        if self._exchange.cancelled is not None:  # what there is may be a part, and is nobody's
            self._exchange.fail(f"cancelled: {self._exchange.cancelled}")
            return
        if self._status is None:
            raise RuntimeError("the application never called start_response")
        status, reason = _status(self._status)
        body = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        wrong = contradiction(self._exchange.method, status, self._headers, len(body))
        if wrong:
            raise RuntimeError(wrong)
        self._exchange.answer(status, self._headers, body, reason)


# An application may make its reasons up from what clients send.
@remembered(128)
def _status(line: str) -> tuple[int, str | None]:
    """`404 Not Found` as the number, and the reason if it is not the usual one, which the core knows."""
    number, _, reason = line.partition(" ")
    if len(number) != 3 or not number.isascii() or not number.isdigit():
        raise ValueError(f"the application gave the status {line!r}, which is not three digits and a reason")
    return int(number), reason if reason and reason != _usual(int(number)) else None


def _usual(status: int) -> str | None:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return None
