"""
Properties of WSGI: the environ of any request that the core lets pass is what PEP 3333 wants: strings of octets, no name of the
client's among those of the server. Whatever an application does, its request is answered exactly once: with what it gave, or
its exception comes out and nothing was answered.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from handoff_worker.gateway.gathering_budget import GatheringBudget
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.wsgi.call import Call
from handoff_worker.wsgi.environ import Environs
from recorded import Outbox

from fuzz.inputs import request_of
from fuzz.responses import GivenResponse, require_answered

OF_THE_SERVER = (
    "wsgi.",
    "handoff.",
    "SERVER_",
    "REMOTE_",
    "REQUEST_",
    "SCRIPT_",
    "PATH_",
    "QUERY_",
    "RAW_",
    "CONTENT_",
)

_environs = Environs(multithread=False)


def read(data: bytes) -> None:
    outbox = Outbox()
    exchange, _ = request_of(data, outbox)
    with suppress(Exception):
        _call(exchange, GivenResponse(exchange.method))


def holds(data: bytes) -> None:
    outbox = Outbox()
    exchange, fields = request_of(data, outbox)
    _environ_is_of_octets(_environs.of(exchange), fields)
    given = GivenResponse(exchange.method)
    try:
        _call(exchange, given)
    except (ValueError, RuntimeError, TypeError):
        assert not outbox.kept, "answered, and failed"
        exchange.fail("for the application")
    require_answered(given, outbox)


def _environ_is_of_octets(environ: dict[str, Any], fields: list[tuple[str, str]]) -> None:
    names = {name for name, _ in fields}
    for key, value in environ.items():
        if isinstance(value, str):
            value.encode("latin-1")
        if key.startswith("HTTP_"):
            assert key[5:].lower().replace("_", "-") in names
        else:
            assert key.startswith(OF_THE_SERVER), f"a client names the key {key}"
    assert environ["SERVER_NAME"] and 0 <= int(environ["SERVER_PORT"]) <= 65535
    assert json.dumps(environ["REQUEST_METHOD"])


def _call(exchange: Exchange, given: GivenResponse) -> None:
    """The application that the body describes: `200 OK` starts, `name: value` goes with it, `!` writes, `.` yields, `?` raises."""

    def app(environ: dict[str, Any], start_response: Callable[..., Callable[[bytes], None]]) -> Any:
        script = environ["wsgi.input"].read().split(b"\n")
        write: Callable[[bytes], None] | None = None
        for index, line in enumerate(script):
            begin, rest = line[:1], line[1:]
            if begin.isdigit():
                headers = _headers(script[index + 1 :])
                text = line.decode("latin-1")
                write = start_response(text, headers)
                given.start(int(text[:3]) if text[:3].isdigit() else 0, headers)
            elif begin == b"!" and write is not None:
                write(rest)
                given.body += rest
            elif begin == b".":
                yield rest
                given.body += rest
            elif begin == b"?":
                raise ValueError("as it was told")

    Call(exchange, GatheringBudget()).run(app, _environs.of(exchange))


def _headers(script: list[bytes]) -> list[tuple[str, str]]:
    headers = []
    for line in script:
        name, colon, value = line.decode("latin-1").partition(":")
        if not colon or name[:1] in tuple("0123456789!.?"):
            break
        headers.append((name, value.strip(" ")))
    return headers
