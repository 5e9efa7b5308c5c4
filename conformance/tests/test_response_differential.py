"""No response of a server is another one to other clients: the parts of the check, and all fixtures beside Node and Go."""

import re
from pathlib import Path

import pytest
from differential import response_fixtures, responses
from differential.clients import CLIENTS
from differential.response_fixtures import Read, Refused, ResponseFixture
from differential.responses import Difference, Kind
from differential.servers import Unavailable

PAGE = Path(__file__).parents[2] / "docs" / "DIFFERENTIAL.md"


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        ("response 200 OK\n  a: b\n  | he\n  | l\\x6co\nkept\n", Read(200, b"hello")),
        ("response 204\nclosed\n", Read(204, b"")),
        ("response 200\n  | a\nresponse 404\n  | b\nkept\n", Read(200, b"a")),
        ("response 200\n  | a\nrefused it is more\n", Read(200, b"a")),
        ("begun 200\n  | a\nuntil end\n", Read(200, b"a")),
        ("begun 200\n  | a\nwaits\n", Refused("waits")),
        ("begun 200\n  | a\nrefused a chunk\n", Refused("a chunk")),
        ("waits\n", Refused("waits")),
        ("refused a line\n", Refused("a line")),
    ],
)
def test_reads_the_first_response_of_an_outcome(tmp_path: Path, outcome: str, verdict: Read | Refused) -> None:
    blocks = f"```http\na\\r\n\n```\n\n```outcome\n{outcome}```\n"
    (tmp_path / "topic.md").write_text(f"# A topic\n\n## A rule\n\n- requests: HEAD, GET\n\n{blocks}")
    assert response_fixtures.read(tmp_path) == [ResponseFixture("topic.md: A rule", "HEAD", b"a\r", verdict)]


@pytest.mark.parametrize(
    ("ours", "client", "kind"),
    [
        (Read(200, b"a"), Read(200, b"a"), Kind.SAME),
        (Refused("a"), Refused("b"), Kind.SAME),
        (Refused("waits"), Read(200, b""), Kind.OURS_STRICTER),
        (Read(200, b"a"), Refused("b"), Kind.PEER_STRICTER),
        (Read(200, b"a"), Read(200, b""), Kind.DIFFERENT),
        (Read(200, b"a"), Read(201, b"a"), Kind.DIFFERENT),
    ],
)
def test_compares_and_explains_no_surprise(ours: Read | Refused, client: Read | Refused, kind: Kind) -> None:
    found = Difference(ResponseFixture("topic.md: A rule", "GET", b"", ours), "node:http", client)
    assert found.kind is kind
    assert found.why is None


@pytest.mark.parametrize("key", CLIENTS)
def test_no_response_is_another_to_a_client(key: str) -> None:
    try:
        client = CLIENTS[key]()
    except Unavailable as problem:
        pytest.skip(f"{key}: {problem}")
    found = responses.differences(client, response_fixtures.read())
    assert responses.unexplained(found) == []
    # So that the check itself is seen to find something.
    assert any(one.kind is Kind.OURS_STRICTER for one in found)


def test_the_page_names_fixtures_that_there_are() -> None:
    names = {fixture.name for fixture in response_fixtures.read()}
    _, _, tables = PAGE.read_text(encoding="utf-8").partition(responses.BEGIN)
    named = set(re.findall(r"\| ([a-z-]+\.md: [^|]+?) \|", tables))
    known = {name for known in responses.KNOWN for name in known.fixtures}
    assert named
    assert named | known <= names
