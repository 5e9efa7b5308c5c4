"""The server answers what its OpenAPI description says: Schemathesis calls it with data that fit the description, and with such that do not."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import schemathesis
from handoff_server import LIMIT_SECONDS, ROOT, Server
from hypothesis import HealthCheck, settings

HELLO = ("run", "examples-python/hello.py", "--workers", "2")
MOST_WORKERS = 3
Case = schemathesis.Case[Any]
DESCRIPTION = json.loads((ROOT / "admin/src/main/resources/dev/handoff/admin/api/openapi.json").read_text())
BOUNDED = settings(
    max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
)


api = schemathesis.openapi.from_dict(DESCRIPTION)


def keep_workers_few(case: Case) -> None:
    """The numbers are as good as any, but this is no place for a thousand processes."""
    count = case.body.get("workers") if isinstance(case.body, dict) else None
    if isinstance(count, int) and MOST_WORKERS < count <= 1000:
        case.body = {"workers": 1 + count % MOST_WORKERS}


@pytest.fixture(scope="module")
def server(serve: Callable[..., Server]) -> Server:
    started = serve(*HELLO)
    started.await_ready()
    return started


@(api.include(method="GET").parametrize())
@BOUNDED
def test_answers_as_described(case: Case, server: Server) -> None:
    case.call_and_validate(base_url=server.admin, timeout=LIMIT_SECONDS)


# The workers are replaced and killed here, so this comes after what asks whether the server is ready.
@(api.include(method="POST").exclude(path="/drain").parametrize())
@BOUNDED
def test_does_as_described(case: Case, server: Server) -> None:
    keep_workers_few(case)
    case.call_and_validate(base_url=server.admin, timeout=LIMIT_SECONDS)


class Drained:
    """Servers that end one after the other."""

    def __init__(self, serve: Callable[..., Server]) -> None:
        self.serve = serve
        self.server = serve(*HELLO)

    def url(self) -> str:
        if not self.server.is_running():
            self.server = self.serve(*HELLO)
        return self.server.admin

    def settle(self, status: int) -> None:
        if status == 202:
            self.server.process.wait(LIMIT_SECONDS)


@pytest.fixture(scope="module")
def drained(serve: Callable[..., Server]) -> Drained:
    return Drained(serve)


@(api.include(path="/drain").parametrize())
@settings(BOUNDED, max_examples=6)
def test_drains_as_described(case: Case, drained: Drained) -> None:
    response = case.call(base_url=drained.url(), timeout=LIMIT_SECONDS)
    case.validate_response(response)
    drained.settle(response.status_code)
