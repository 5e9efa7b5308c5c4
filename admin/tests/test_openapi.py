"""The server answers what its OpenAPI description says: Schemathesis calls it with data that fit the description, and with such that do not."""

import time
from collections.abc import Callable
from typing import Any

import pytest
import requests
import schemathesis
from conftest import LIMIT_SECONDS, Server
from hypothesis import HealthCheck, settings

HELLO = ("run", "examples-python/hello.py", "--workers", "2")
MOST_WORKERS = 3
BOUNDED = settings(
    max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
)


@schemathesis.hook
def map_body(_context: schemathesis.HookContext, body: Any) -> Any:
    """The numbers are as good as any, but this is no place for a thousand processes."""
    count = body.get("workers") if isinstance(body, dict) else None
    if isinstance(count, int) and MOST_WORKERS < count <= 1000:
        return {**body, "workers": 1 + count % MOST_WORKERS}
    return body


@pytest.fixture(scope="module")
def description(serve: Callable[..., Server]) -> schemathesis.BaseSchema:
    server = serve(*HELLO)
    deadline = time.monotonic() + LIMIT_SECONDS
    while requests.get(f"{server.admin}/ready", timeout=5).status_code != 200:
        assert time.monotonic() < deadline, "it does not get ready"
    return schemathesis.openapi.from_url(f"{server.admin}/openapi.json")


api = schemathesis.pytest.from_fixture("description")


@(api.include(method="GET").parametrize())
@BOUNDED
def test_answers_as_described(case: schemathesis.Case) -> None:
    case.call_and_validate()


# The workers are replaced and killed here, so this comes after what asks whether the server is ready.
@(api.include(method="POST").exclude(path="/drain").parametrize())
@BOUNDED
def test_does_as_described(case: schemathesis.Case) -> None:
    case.call_and_validate()


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
def test_drains_as_described(case: schemathesis.Case, drained: Drained) -> None:
    response = case.call(base_url=drained.url())
    case.validate_response(response)
    drained.settle(response.status_code)
