"""The frames of the worker protocol: bytes in, messages out, and the other way round. No sockets, no clocks."""

import re
from struct import Struct
from typing import Any

from handoff import _json

Head = dict[str, Any]
"""The JSON object of a frame."""

RequestFrame = tuple[int, int, bytes, bytes]
"""Id, the milliseconds that are left, the JSON as it came, and the body."""

PROTOCOL = 1
MOST_JSON_BYTES = 1024 * 1024
MOST_BODY_BYTES_BEFORE_WELCOME = 0

prefix = Struct(">II")
_unpack = prefix.unpack_from
PREFIX_BYTES = prefix.size

# The core writes these keys first and in this order. Any other order is as good, and only slower to read.
_begin_of_request = re.compile(rb'\{"type":"request","id":([1-9]\d{0,15}),"timeoutMillis":(\d{1,16}),"').match
_line_of_request = re.compile(rb'[^"]*"type":"request","id":\d+,"timeoutMillis":\d+,"method":"([^"\\]*)","target":"([^"\\]*)","').match


class BrokenFrame(Exception):
    """The core sent what the protocol does not allow; where the next frame begins is no longer certain."""
