"""What the accelerator and the Python beside it make of the same: of a head, of frames, of a response."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest
from handoff_worker.asgi import scope
from handoff_worker.protocol import frames, response_frame
from handoff_worker.protocol.exchange import Exchange
from handoff_worker.wsgi import environ
from recorded import Outbox

DEADLINE = 17.25
STATE: dict[str, Any] = {"of": ["the application"]}


@contextmanager
def only_python() -> Iterator[None]:
    """Also where the process has the accelerator."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frames, "read_requests", None)
        patch.setattr(response_frame, "write_response_head", None)
        patch.setattr(scope, "make_scope", None)
        patch.setattr(environ, "make_environ", None)
        yield


class BothWays:
    """Compares. Each method says whether the accelerator has answered; then the Python had the same answer."""

    def __init__(self, native: ModuleType) -> None:
        self._native = native
        self._environs = environ.Environs(multithread=True)

    def scope(self, json: bytes) -> bool:
        addresses = scope.client_addresses, scope.server_addresses
        try:
            made = self._native.make_scope(json, DEADLINE, STATE, scope._MODEL, scope.VERSION, *addresses)
        except ValueError:  # of an address
            with only_python(), pytest.raises(ValueError):
                scope.scope_of(exchange(json), STATE)
            return True
        if made is None:
            return False
        with only_python():
            require_same(made, scope.scope_of(exchange(json), STATE))
        assert made["state"] is not STATE and made["asgi"] is not scope.VERSION
        return True

    def environ(self, json: bytes) -> bool:
        caches = environ._keys, environ._clients, environ._servers
        try:
            made = self._native.make_environ(json, DEADLINE, self._environs._model, *caches)
        except ValueError:
            with only_python(), pytest.raises(ValueError):
                self._environs.of(exchange(json))
            return True
        if made is None:
            return False
        with only_python():
            wanted = self._environs.of(exchange(json))
        assert wanted["wsgi.input"].read() == b"" and made["wsgi.input"] is None
        wanted["wsgi.input"] = None
        require_same(made, wanted)
        return True

    def messages(self, data: bytes, start: int, json_limit: int, body_limit: int) -> int:
        """How many bytes the accelerator has read: exactly the requests that the Python finds there."""
        found: list[Any] = []
        end: int = self._native.read_requests(data, start, found, json_limit, body_limit)
        assert start <= end <= len(data)
        with only_python():
            reader = frames.FrameReader(json_limit, body_limit)
            require_same(found, reader.feed(data[start:end]))
            assert reader.fault is None and reader.missing == frames.PREFIX_BYTES
        return end

    def response_head(self, request_id: Any, status: Any, headers: Any, body_bytes: Any) -> bool:
        made = self._native.write_response_head(request_id, status, headers, body_bytes)
        if made is None:
            return False
        with only_python():
            require_same(made, response_frame.response_head(request_id, status, headers, body_bytes, None))
        return True


def exchange(json: bytes) -> Exchange:
    return Exchange(7, json, b"", DEADLINE, Outbox())


def require_same(made: Any, wanted: Any) -> None:
    """Equal, of the same types, and dictionaries in the same order."""
    assert type(made) is type(wanted), f"{made!r} and {wanted!r}"
    if isinstance(made, dict):
        assert list(made) == list(wanted)
        for key, value in made.items():
            require_same(value, wanted[key])
    elif isinstance(made, (list, tuple)):
        assert len(made) == len(wanted), f"{made!r} and {wanted!r}"
        for value, other in zip(made, wanted, strict=True):
            require_same(value, other)
    else:
        assert made == wanted, f"{made!r} and {wanted!r}"
