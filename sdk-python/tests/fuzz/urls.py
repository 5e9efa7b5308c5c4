"""
Properties of targets: path and query are the whole target. A plain function, ASGI and WSGI are given the same path. Any query is
read, or refused by `BadRequest` in a few words; one that was encoded is read as what it was.
"""

from contextlib import suppress
from urllib.parse import quote, unquote_to_bytes, urlencode

from handoff_worker import BadRequest, Request
from handoff_worker.asgi.scope import scope_of
from handoff_worker.wsgi.environ import Environs
from recorded import Outbox, exchange

from fuzz.inputs import lines, request_of, target_of

_environs = Environs(multithread=False)


def read(data: bytes) -> None:
    request = Request(exchange(Outbox(), target=target_of(lines(data)[0])))
    _ = request.path
    with suppress(BadRequest):
        _ = request.query


def holds(data: bytes) -> None:
    made = exchange(Outbox(), target=target_of(lines(data)[0]))
    request = Request(made)
    assert request.target in (request.raw_path, f"{request.raw_path}?{request.query_string}")
    octets = unquote_to_bytes(request.raw_path)
    assert request.path == octets.decode(errors="replace")
    scope, environ = scope_of(made, {}), _environs.of(made)
    assert scope["path"] == request.path
    assert (scope["raw_path"], scope["query_string"]) == (request.raw_path.encode(), request.query_string.encode())
    assert environ["PATH_INFO"].encode("latin-1") == (b"" if request.target == "*" else octets)
    assert environ["QUERY_STRING"] == request.query_string
    try:
        assert all(isinstance(value, str) for pair in request.query.pairs() for value in pair)
    except BadRequest as problem:
        assert len(str(problem)) < 300, "a refusal says what its client sent"
    _is_read_as_encoded(lines(data)[1:])


def _is_read_as_encoded(texts: list[str]) -> None:
    pairs = list(zip(texts[::2], texts[1::2], strict=False))
    path = "/" + "/".join(texts)
    encoded = quote(path) + "?" + urlencode(pairs)
    request = Request(request_of(f"GET\n{encoded}".encode())[0])
    assert (request.path, request.query.pairs()) == (path, pairs)
