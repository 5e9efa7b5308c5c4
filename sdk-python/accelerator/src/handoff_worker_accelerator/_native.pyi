from typing import Any

def read_requests(data: bytes, start: int, messages: list[Any], json_limit: int, body_limit: int, /) -> int: ...
def make_scope(
    json: bytes,
    deadline: float,
    state: dict[str, Any],
    model: dict[str, Any],
    version: dict[str, str],
    clients: dict[str, tuple[str, int] | None],
    servers: dict[str, tuple[tuple[str, int], tuple[str, int]]],
    /,
) -> dict[str, Any] | None: ...
def make_environ(
    json: bytes,
    deadline: float,
    model: dict[str, Any],
    keys: dict[str, str | None],
    clients: dict[str, tuple[str, str]],
    servers: dict[str, tuple[tuple[str, str], tuple[str, str]]],
    /,
) -> dict[str, Any] | None: ...
def write_response_head(
    request_id: int, status: int, headers: tuple[tuple[str, str], ...], body_bytes: int, /
) -> bytes | None: ...
