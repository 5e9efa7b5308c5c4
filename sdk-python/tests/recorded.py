"""Exchanges whose responses are kept instead of sent, for tests of what stands between an exchange and an application."""

import json
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from handoff_worker.protocol.exchange import Exchange
from handoff_worker.protocol.large_exchange import LargeExchange
from handoff_worker.protocol.response_stream import TakesTurns

Fields = list[tuple[str, str]]


@dataclass
class Kept:
    """What would have gone to the core: the JSON of one frame, and its body."""

    head: dict[str, Any]
    body: bytes

    @property
    def status(self) -> int:
        return int(self.head["status"])

    @property
    def headers(self) -> Fields:
        return [(name, value) for name, value in self.head.get("headers", [])]

    @property
    def failure(self) -> str:
        assert self.head["type"] == "failure", f"not a failure: {self.head}"
        return str(self.head["message"])


@dataclass
class Outbox:
    body_limit: int = 1000
    kept: list[Kept] = field(default_factory=list)
    unsent_bytes: int = 0
    stream_bytes: int = 0
    """As for an old core: all responses are whole."""
    takes_pieces: bool = True
    takes_small_messages: bool = True
    takes_fragments: bool = False
    on_put: Callable[[], None] = lambda: None

    def put(self, request_id: int, head: bytes, body: bytes) -> None:
        json_bytes, body_bytes = struct.unpack_from(">II", head)
        assert (json_bytes, body_bytes) == (len(head) - 8, len(body))
        self.kept.append(Kept(json.loads(head[8:]), body))
        self.on_put()

    def put_piece(self, request_id: int, head: bytes, body: bytes) -> None:
        self.put(request_id, head, body)

    def await_turn(self, waiting: TakesTurns, large: bool = False) -> None:
        raise AssertionError("pieces are taken at once")

    def flush_pieces(self) -> None:
        pass

    def piece_awaited(self, request_id: int) -> None:
        pass

    def stream_begins(self, exchange: Exchange) -> None:
        pass

    def stream_ends(self, request_id: int) -> None:
        pass

    @property
    def only(self) -> Kept:
        assert len(self.kept) == 1, self.kept
        return self.kept[0]


def exchange(
    outbox: Outbox,
    method: str = "GET",
    target: str = "/",
    headers: Fields | None = None,
    body: bytes = b"",
    **keys: Any,
) -> Exchange:
    """A request as the core writes it; `keys` are further ones of its JSON."""
    head = {
        "type": "request",
        "id": 7,
        "timeoutMillis": 30000,
        "method": method,
        "target": target,
        "version": "1.1",
        "headers": [("host", "example.org")] if headers is None else headers,
        "client": "203.0.113.9:51324",
        **keys,
    }
    return Exchange(7, _json(head), body, time.monotonic() + 30, outbox)


def large_exchange(outbox: Outbox, first: bytes) -> LargeExchange:
    """The head of a request in pieces, and its first piece; the test adds others."""
    head = exchange(outbox, "POST").json[:-1] + b',"more":true}'
    return LargeExchange((7, 30000, head, first), time.monotonic(), outbox, lambda request_id: None)


def _json(head: dict[str, Any]) -> bytes:
    return json.dumps(head, separators=(",", ":")).encode()
