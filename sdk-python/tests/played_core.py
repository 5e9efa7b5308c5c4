"""Plays the core on the other end of a worker's socket, frame by frame."""

import json
import socket
import struct
from dataclasses import dataclass
from types import TracebackType
from typing import Any

PATIENCE = 90.0

CREDIT_BYTES = 256 * 1024
"""What the SDK's hello grants to each request in pieces."""


@dataclass(frozen=True)
class Frame:
    head: dict[str, Any]
    body: bytes

    @property
    def type(self) -> str:
        return str(self.head["type"])


@dataclass
class Upload:
    """A request in pieces that has begun."""

    id: int
    sent: int
    credit: int
    granted: int = 0


class PlayedCore:
    """Every wait has a deadline: a frame that does not come fails the test."""

    def __init__(self, worker: socket.socket) -> None:
        worker.settimeout(PATIENCE)
        self._socket = worker
        self._unread = b""
        self._last_id = 0

    def send(self, head: dict[str, Any], body: bytes = b"") -> None:
        self._socket.sendall(_frame(head, body))

    def send_together(self, *heads: dict[str, Any]) -> None:
        """In one write, so that the worker reads them together."""
        self._socket.sendall(b"".join(map(_frame, heads)))

    def welcome(
        self, body_limit: int = 32 * 1024 * 1024, stream_bytes: int = 0, features: tuple[str, ...] = ("streams",)
    ) -> None:
        """`stream_bytes`: the credit of responses in pieces; 0 for a core that takes none, and has no features."""
        limits = {"jsonBytes": 1024 * 1024, "bodyBytes": body_limit}
        head: dict[str, Any] = {"type": "welcome", "protocol": 1, "worker": "w", "limits": limits, "server": "played"}
        if stream_bytes:
            limits["streamBytes"] = stream_bytes
            head["features"] = list(features)
        self.send(head)

    def request(self, target: str = "/", body: bytes = b"", **keys: Any) -> int:
        """Sends one and returns its id."""
        self._last_id += 1
        self.send(self.request_head(self._last_id, target, **keys), body)
        return self._last_id

    def begin_upload(self, target: str = "/", first: bytes = b"", length: int | None = None, **keys: Any) -> Upload:
        """Sends the head of a request in pieces, with its first piece. `length`: its content length, where it is told."""
        self._last_id += 1
        head = self.request_head(self._last_id, target, method="POST", **keys) | {"more": True}
        if length is not None:
            head["headers"] = [*head["headers"], ["content-length", str(length)]]
        self.send(head, first)
        return Upload(self._last_id, len(first), CREDIT_BYTES - len(first))

    def send_piece(self, upload: Upload, piece: bytes, more: bool = True) -> None:
        assert upload.credit > 0 or not piece, "a core waits for credit"
        upload.credit -= len(piece)
        upload.sent += len(piece)
        self.send({"type": "data", "id": upload.id} | ({"more": True} if more else {}), piece)

    def send_rest(self, upload: Upload, rest: bytes, piece_bytes: int = 64 * 1024) -> Frame:
        """Sends the last pieces, as the worker grants credit for them, and returns the response to this request."""
        for start in range(0, len(rest), piece_bytes):
            while upload.credit <= 0:
                self.expect_credit(upload)
            self.send_piece(upload, rest[start : start + piece_bytes])
        self.send_piece(upload, b"", more=False)
        while (frame := self.receive()).type in ("credit", "capacity"):
            self._note_credit(upload, frame)
        assert frame.head["id"] == upload.id, frame.head
        return frame

    def expect_credit(self, upload: Upload) -> int:
        frame = self.expect("credit")
        self._note_credit(upload, frame)
        return int(frame.head["bytes"])

    def _note_credit(self, upload: Upload, frame: Frame) -> None:
        if frame.type == "credit":
            assert frame.head["id"] == upload.id
            upload.credit += frame.head["bytes"]
            upload.granted += frame.head["bytes"]
            assert upload.granted <= upload.sent, "credit is granted for what was taken, and not before"

    def upload(self, body: bytes, target: str = "/", piece_bytes: int = 64 * 1024, **keys: Any) -> Frame:
        """Sends a request in pieces, and returns the response to it."""
        return self.send_rest(self.begin_upload(target, length=len(body), **keys), body, piece_bytes)

    def requests(self, *targets: str) -> list[int]:
        """Sends several in one write, so that the worker reads them together."""
        ids = range(self._last_id + 1, self._last_id + 1 + len(targets))
        self._last_id = ids[-1]
        self.send_together(*map(self.request_head, ids, targets))
        return list(ids)

    def request_head(self, request_id: int, target: str, **keys: Any) -> dict[str, Any]:
        head = {
            "type": "request",
            "id": request_id,
            "timeoutMillis": 30000,
            "method": "GET",
            "target": target,
            "version": "1.1",
            "headers": [["host", "example.org"]],
            "client": "203.0.113.9:51324",
        }
        return head | keys

    def receive(self) -> Frame:
        """The next frame; raises EOFError when the worker has closed."""
        json_bytes, body_bytes = struct.unpack(">II", self._read(8))
        return Frame(json.loads(self._read(json_bytes)), self._read(body_bytes))

    def expect(self, type: str) -> Frame:
        """The next frame, of that type. The machine's speed may change the window any time: that is passed over unless expected."""
        frame = self.receive()
        while frame.type == "capacity" and type != "capacity":
            frame = self.receive()
        assert frame.type == type, f"expected {type}, got {frame.head}"
        return frame

    def expect_end(self) -> None:
        """Waits until the worker has closed; changes of the window are passed over."""
        try:
            while True:
                self.expect("capacity")
        except (EOFError, ConnectionResetError):
            return

    def receive_responses(self, count: int) -> dict[int, Frame]:
        """So many responses and failures by the id they answer; changes of the window between them are passed over."""
        responses: dict[int, Frame] = {}
        while len(responses) < count:
            frame = self.receive()
            if frame.type != "capacity":
                responses[frame.head["id"]] = frame
        return responses

    def credit(self, request_id: int, count: int) -> None:
        self.send({"type": "credit", "id": request_id, "bytes": count})

    def cancel(self, request_id: int, reason: str = "client_gone") -> None:
        self.send({"type": "cancel", "id": request_id, "reason": reason})

    def receive_pieces(self, begin: Frame) -> tuple[list[bytes], Frame]:
        """The pieces of the response that has begun, and its final frame. Grants credit for each."""
        pieces = [begin.body]
        while True:
            self.credit(begin.head["id"], len(pieces[-1]))
            frame = self.receive()
            if frame.type == "capacity":
                continue
            assert frame.head["id"] == begin.head["id"], frame.head
            if frame.type != "data" or not frame.head.get("more"):
                return [*pieces, frame.body], frame
            pieces.append(frame.body)

    def expect_pong(self) -> None:
        """Asks whether the worker reads, and has nothing else to say."""
        self.send({"type": "ping"})
        self.expect("pong")

    def greet(
        self, body_limit: int = 32 * 1024 * 1024, stream_bytes: int = 0, features: tuple[str, ...] = ("streams",)
    ) -> int:
        """Welcomes the worker and returns the window it opens."""
        hello = self.expect("hello").head
        assert hello["concurrency"] == 0
        assert hello["features"] in (["streams"], ["streams", "websockets", "fragments"])
        assert (hello["bodyBytes"], hello["streamBytes"]) == (1024 * 1024, CREDIT_BYTES)
        self.welcome(body_limit, stream_bytes, features)
        window: int = self.expect("capacity").head["concurrency"]
        return window

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> "PlayedCore":  # noqa: PYI034  there is no typing.Self in Python 3.10
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def _read(self, count: int) -> bytes:
        while len(self._unread) < count:
            chunk = self._socket.recv(256 * 1024)
            if not chunk:
                raise EOFError("the worker has closed the connection")
            self._unread += chunk
        taken, self._unread = self._unread[:count], self._unread[count:]
        return taken


def _frame(head: dict[str, Any], body: bytes = b"") -> bytes:
    text = json.dumps(head, separators=(",", ":")).encode()
    return struct.pack(">II", len(text), len(body)) + text + body
