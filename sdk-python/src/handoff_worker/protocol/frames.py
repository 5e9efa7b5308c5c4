"""The frames of the worker protocol: bytes in, messages out, and the other way round. Knows no sockets and no clocks."""

import re
from struct import Struct
from typing import Any

from handoff_worker.accelerator import read_requests
from handoff_worker.log import shorten
from handoff_worker.protocol import json_codec

Head = dict[str, Any]
"""The JSON object of a frame."""

RequestFrame = tuple[int, int, bytes, bytes]
"""Id, milliseconds until the deadline, the JSON as it came, and the body."""


class BeginOfRequest:
    """A request whose body comes in pieces (PROTOCOL.md, `Requests in pieces`)."""

    __slots__ = ("request",)

    def __init__(self, request: RequestFrame) -> None:
        self.request = request
        """Its body is the first piece."""


class Piece:
    """A further piece of a request (PROTOCOL.md, `data`)."""

    __slots__ = ("body", "id", "more")

    def __init__(self, id: int, body: bytes, more: bool) -> None:
        self.id = id
        self.body = body
        self.more = more
        """Whether another one follows."""


class WebSocketMessage:
    """A message of a WebSocket (PROTOCOL.md, `message`)."""

    __slots__ = ("content", "id", "size")

    def __init__(self, id: int, content: str | bytes, size: int) -> None:
        self.id = id
        self.content = content
        """A text message is a string."""
        self.size = size
        """In bytes."""


Message = RequestFrame | BeginOfRequest | Piece | WebSocketMessage | Head
"""What the core sends: a whole request as a tuple, one that comes in pieces, a piece, a message of a WebSocket, and anything else as
its JSON object."""

PROTOCOL = 1
MOST_JSON_BYTES = 1024 * 1024
MOST_BODY_BYTES = 1024 * 1024 * 1024
"""Far more than a core takes (`--max-body`). The limit that counts is the core's own."""

prefix = Struct(">II")
_unpack = prefix.unpack_from
PREFIX_BYTES = prefix.size

# The core writes these keys first and in this order. Any other order is read as well, only slower.
_begin_of_request = re.compile(rb'\{"type":"request","id":([1-9]\d{0,15}),"timeoutMillis":(\d{1,16}),"').match
_line_of_request = re.compile(
    rb'[^"]*"type":"request","id":\d+,"timeoutMillis":\d+,"method":"([^"\\]*)","target":"([^"\\]*)","'
).match


class BrokenFrame(Exception):
    """The core broke the protocol. Where the next frame begins is no longer certain, so the connection ends."""


class FrameReader:
    """
    Finds the frames in what is read from the core, wherever the bytes are cut.

    The head of a request stays undecoded; `request_line` and `request_head` decode it on demand. Lives on the thread that reads.
    """

    def __init__(self, json_limit: int = MOST_JSON_BYTES, body_limit: int = MOST_BODY_BYTES) -> None:
        """The largest JSON and the largest body of a frame, in bytes."""
        self._json_limit = json_limit
        self._body_limit = body_limit
        self._kept: list[bytes] = []
        self._kept_bytes = 0
        self._wanted = PREFIX_BYTES
        self.fault: str | None = None
        """What is wrong with the bytes behind the frames that were returned. None as long as nothing is; then nothing more is read."""

    @property
    def missing(self) -> int:
        """How many bytes the next frame lacks, as far as its beginning tells."""
        return self._wanted - self._kept_bytes

    def feed(self, data: bytes) -> list[Message]:
        """The messages that these bytes complete. Unknown types are skipped."""
        if self._kept_bytes:
            self._kept.append(data)
            self._kept_bytes += len(data)
            if self._kept_bytes < self._wanted:
                return []
            data = b"".join(self._kept)
            self._kept.clear()
        messages: list[Message] = []
        try:
            rest = self._read(data, messages)
        except BrokenFrame as problem:
            self.fault = str(problem)
            rest = len(data)
        self._kept_bytes = len(data) - rest
        if self._kept_bytes:
            self._kept.append(data[rest:])
        return messages

    def _read(self, data: bytes, messages: list[Message]) -> int:
        """Appends to `messages`, and returns where the first incomplete frame begins."""
        start, size = 0, len(data)
        while size - start >= PREFIX_BYTES and self.fault is None:
            if read_requests is not None:
                start = read_requests(data, start, messages, self._json_limit, self._body_limit)
                if size - start < PREFIX_BYTES:
                    break
            json_bytes, body_bytes = _unpack(data, start)
            if not 2 <= json_bytes <= self._json_limit or body_bytes > self._body_limit:
                raise BrokenFrame(f"a frame of {json_bytes} bytes of JSON and {body_bytes} of body")
            body_start = start + PREFIX_BYTES + json_bytes
            end = body_start + body_bytes
            if end > size:
                self._wanted = end - start
                return start
            json = data[start + PREFIX_BYTES : body_start]
            begin = _begin_of_request(json)
            # The core writes `more` last, where a whole request has a quote. So one without a body is looked at no further.
            if begin is not None and ((not body_bytes and json[-2] == 0x22) or json.rfind(b'"more":') < 0):
                request_id, millis = begin.groups()
                messages.append((int(request_id), int(millis), json, data[body_start:end] if body_bytes else b""))
            else:
                message = _message(json, data[body_start:end])
                if message is not None:
                    messages.append(message)
            start = end
        self._wanted = PREFIX_BYTES
        return start


def request_line(json: bytes) -> tuple[str, str] | None:
    """Method and target, where they can be read without decoding JSON: where the core writes them, and without escapes. Else None."""
    line = _line_of_request(json)
    if line is None:
        return None
    method, target = line.groups()
    try:
        return method.decode(), target.decode()
    except UnicodeDecodeError:
        return None


def request_head(json: bytes, in_pieces: bool = False) -> Head:
    """
    The JSON object of a request. Raises `BrokenFrame` where a required key is missing or has another type.

    `in_pieces`: whether it was read as such. Where it was not and says so, the reader did not look that far: nobody may take a
    first piece for the whole body.
    """
    head = _object(json)
    try:
        # Written out, since each request comes here.
        is_complete = (
            type(head["id"]) is type(head["timeoutMillis"]) is int
            and type(head["method"]) is type(head["target"]) is type(head["version"]) is type(head["client"]) is str
            and type(head["headers"]) is list
        )
    except KeyError:
        is_complete = False
    if not is_complete:
        _checked(head, _KEYS["request"])
    subprotocols = head.get("websocket")
    if subprotocols is not None and (
        type(subprotocols) is not list or not all(type(each) is str for each in subprotocols)
    ):
        raise BrokenFrame(f"a request whose websocket is {subprotocols!r}")
    if head.get("more") and not in_pieces:
        raise BrokenFrame(f"a request without a first piece whose more is {head['more']!r}, and does not stand last")
    return head


def frame(head: Head, body: bytes = b"") -> bytes:
    """A whole frame: the lengths of JSON and body, and both (PROTOCOL.md, `Frames`)."""
    text = json_codec.encode(head)
    return prefix.pack(len(text), len(body)) + text + body


def failure(request_id: int, message: str, retry: bool) -> bytes:
    """The frame that fails a request, with the message cut to what the core logs. `retry`: whether another worker may get it."""
    # In ASCII, so that texts which are not Unicode arrive as well, such as a file name with a lone surrogate.
    text = f'{{"type":"failure","id":{request_id},"message":{json_codec.quote(shorten.message(message))}'
    text += ',"retry":true}' if retry else "}"
    return prefix.pack(len(text), 0) + text.encode()


def piece(request_id: int, body_bytes: int, more: bool) -> bytes:
    """Lengths and JSON of a piece, which follows (PROTOCOL.md, `data`). `more`: whether it is not the last one."""
    text = b'{"type":"data","id":%d%b}' % (request_id, b',"more":true' if more else b"")
    return prefix.pack(len(text), body_bytes) + text


def message(request_id: int, body_bytes: int, text: bool, more: bool = False) -> bytes:
    """
    Lengths and JSON of a message of a WebSocket, which follows, or of a fragment of one (PROTOCOL.md, `message`).

    `more`: whether other fragments of the same message follow.
    """
    head = b'{"type":"message","id":%d%b%b}' % (
        request_id,
        b',"text":true' if text else b"",
        b',"more":true' if more else b"",
    )
    return prefix.pack(len(head), body_bytes) + head


def close(request_id: int, code: int | None, reason: str) -> bytes:
    """The frame that ends a WebSocket (PROTOCOL.md, `close`). `code`: None for none."""
    head: Head = {"type": "close", "id": request_id}
    if code is not None:
        head |= {"code": code, "reason": reason} if reason else {"code": code}
    return frame(head)


def capacity(concurrency: int, memory_bytes: int = 0) -> bytes:
    """The frame that opens the window. `memory_bytes`: the memory of this process, where the core cannot look; else 0."""
    head = {"type": "capacity", "concurrency": concurrency}
    return frame(head | {"memoryBytes": memory_bytes} if memory_bytes else head)


def credit(request_id: int, count: int) -> bytes:
    """The frame by which so many more bytes of a request may come (PROTOCOL.md, `credit`)."""
    text = b'{"type":"credit","id":%d,"bytes":%d}' % (request_id, count)
    return prefix.pack(len(text), 0) + text


DRAIN = frame({"type": "drain"})
PONG = frame({"type": "pong"})

_KEYS: dict[str, dict[str, type]] = {
    "welcome": {"protocol": int, "worker": str, "limits": dict, "server": str},
    "refused": {"code": str, "message": str},
    "request": {
        "id": int,
        "timeoutMillis": int,
        "method": str,
        "target": str,
        "version": str,
        "headers": list,
        "client": str,
    },
    "data": {"id": int},
    "message": {"id": int},
    "close": {"id": int},
    "cancel": {"id": int, "reason": str},
    "credit": {"id": int, "bytes": int},
    "drain": {},
    "ping": {},
}
"""The required keys of each message of the core, with their types."""


def _message(json: bytes, body: bytes) -> Message | None:
    """The message of a frame; None for an unknown type, since the core may be newer than this SDK."""
    head = _object(json)
    kind = head.get("type")
    if not isinstance(kind, str):
        raise BrokenFrame("a frame without a type")
    keys = _KEYS.get(kind)
    if keys is None:
        return None
    _checked(head, keys)
    if kind == "request":
        request = head["id"], head["timeoutMillis"], json, body
        return BeginOfRequest(request) if _has_more(head) else request
    if kind == "data":
        return Piece(head["id"], body, _has_more(head))
    if kind == "message":
        content = _text_of(body) if _is_true(head, "text") else body
        return WebSocketMessage(head["id"], content, len(body))
    if body:
        raise BrokenFrame(f"a {kind} with a body")
    if kind == "close":
        _checked_close(head)
    if kind == "credit" and head["bytes"] < 0:
        raise BrokenFrame(f"a credit of {head['bytes']} bytes")
    if kind == "welcome":
        _checked(head["limits"], {"jsonBytes": int, "bodyBytes": int})
        if {"streams", "websockets"} & set(head.get("features") or ()):
            _checked(head["limits"], {"streamBytes": int})
    return head


def _has_more(head: Head) -> bool:
    return _is_true(head, "more")


def _is_true(head: Head, key: str) -> bool:
    value = head.get(key)
    if value is not None and type(value) is not bool:
        raise BrokenFrame(f"a {head['type']} whose {key} is {value!r}")
    return value is True


def _text_of(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise BrokenFrame("a message of text that is not UTF-8") from None


def _checked_close(head: Head) -> None:
    code, reason = head.get("code"), head.get("reason")
    if (code is not None and type(code) is not int) or (reason is not None and type(reason) is not str):
        raise BrokenFrame(f"a close whose code is {code!r} and whose reason is {reason!r}")


def _object(json: bytes) -> Head:
    try:
        head = json_codec.decode(json)
    except (ValueError, RecursionError) as problem:
        raise BrokenFrame(f"a frame that is not JSON: {problem}") from None
    if type(head) is not dict:
        raise BrokenFrame("a frame whose JSON is not an object")
    return head


def _checked(head: Head, keys: dict[str, type]) -> Head:
    for key, kind in keys.items():
        if type(head.get(key)) is not kind:
            raise BrokenFrame(
                f"a {head.get('type', 'frame')} whose {key} is not there, or of another type than {kind.__name__}"
            )
    return head
