"""A framework's own test client and a request through Handoff get the same response: real core, real worker, real connection."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cases import CASES, Case
from clients import OUT_OF_REACH, TEST_CLIENTS, by_http
from serving import Serving, serving


@pytest.fixture(scope="module", params=TEST_CLIENTS)
def site(request: pytest.FixtureRequest) -> Iterator[tuple[str, Serving]]:
    with serving(request.param, folder=Path(__file__).parent) as server:
        yield request.param, server


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_answers_as_the_frameworks_own_test_client(site: tuple[str, Serving], case: Case) -> None:
    application, server = site
    if case.name in OUT_OF_REACH.get(application, ()):
        pytest.skip("the test client is no measure here")
    assert by_http(server.port, case) == TEST_CLIENTS[application](case)
