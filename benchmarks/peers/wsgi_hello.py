"""The least that a WSGI server can be asked to run."""

from collections.abc import Callable
from typing import Any

BODY = [b"hello\n"]
HEADERS = [("content-type", "text/plain"), ("content-length", "6")]


def app(environ: dict[str, Any], start_response: Callable[[str, list[tuple[str, str]]], object]) -> list[bytes]:
    start_response("200 OK", HEADERS)
    return BODY
