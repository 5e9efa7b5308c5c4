"""No generated request ends at two places: the parts of the differential check, and a short run of all of it."""

from pathlib import Path

import pytest
from differential import client, fixtures, report, traces
from differential.cases import Case, generate
from differential.outcomes import outcomes
from differential.run import Plan, run
from differential.traces import Message, Refusal, Trace
from differential.verdicts import Kind, Verdict, compare

MUTANTS = 500
SEED = 9112

GET = Message("GET", "/", "")
POST = Message("POST", "/", "6869")


def trace(*messages: Message, refused: str = "", close: bool = False) -> Trace:
    return Trace(messages, Refusal(400, refused) if refused else None, close)


def test_reads_the_escapes_of_fixtures(tmp_path: Path) -> None:
    document = "# A topic\n\n## A rule\n\n```http\nGET /\\x41 \\(ab\\0*3)\\r\\n\nX:\\t\\\\\\x20\n```\n"
    (tmp_path / "topic.md").write_text(document)
    (fixture,) = fixtures.read(tmp_path)
    assert fixture.name == "topic.md: A rule"
    assert fixture.data == b"GET /A ab\0ab\0ab\0\r\nX:\t\\ "


def test_shows_bytes_as_fixtures_would() -> None:
    data = bytes(range(256))
    assert fixtures.unescape(fixtures.escape(data)) == data


def test_begins_with_the_fixtures_and_repeats_a_seed() -> None:
    corpus = fixtures.read()
    cases = list(generate(corpus, len(corpus) + 50, 1))
    assert cases == list(generate(corpus, len(corpus) + 50, 1))
    assert cases != list(generate(corpus, len(corpus) + 50, 2))
    assert {case.data for case in cases} >= {one.data for one in corpus if 0 < len(one.data) < 40_000}


def test_reads_messages_up_to_a_refusal() -> None:
    answers = (
        b"HTTP/1.1 100 Continue\r\n\r\n"
        b"HTTP/1.1 200 OK\r\nEcho: 504f5354.2f.6869\r\nContent-Length: 0\r\n\r\n"
        b"HTTP/1.1 400 Bad Request\r\nHandoff-Error: bare_lf\r\nConnection: close\r\n\r\nA line ends ..."
    )
    assert traces.read(answers) == trace(POST, refused="bare_lf")


@pytest.mark.parametrize(
    "answers", [b"HTTP/1.1 200 OK\r\nEcho: 47", b"hello", b"HTTP/1.1 200 OK\r\nEcho: 47.2f.\r\n\r\n"]
)
def test_fails_at_what_is_no_answer(answers: bytes) -> None:
    with pytest.raises(traces.BadAnswer):
        traces.read(answers)


@pytest.mark.parametrize(
    ("target", "origin"),
    [("/a?b", "/a?b"), ("http://b/a", "/a"), ("HTTPS://b:1?c", "/?c"), ("http://b", "/"), ("*", "*")],
)
def test_compares_targets_in_origin_form(target: str, origin: str) -> None:
    assert traces.origin_form("GET", target) == origin


@pytest.mark.parametrize(
    ("ours", "peer", "verdict"),
    [
        (trace(GET, POST), trace(GET, POST), Verdict(Kind.SAME)),
        (trace(GET, refused="a"), trace(GET, refused="b"), Verdict(Kind.SAME)),
        (trace(GET, refused="a"), trace(GET, POST), Verdict(Kind.OURS_STRICTER, "a")),
        (trace(GET, refused="a"), trace(GET), Verdict(Kind.OURS_SOONER, "a")),
        (trace(GET, POST), trace(GET, refused="b"), Verdict(Kind.PEER_STRICTER, "b")),
        (trace(GET), trace(GET, refused="b"), Verdict(Kind.PEER_SOONER, "b")),
        (trace(GET, close=True), trace(GET, POST), Verdict(Kind.OURS_CLOSES, "number")),
        (trace(GET, POST), trace(GET, close=True), Verdict(Kind.PEER_CLOSES, "number")),
        (trace(GET), trace(GET, POST), Verdict(Kind.DIFFERENT_END, "number")),
        (trace(GET, POST), trace(GET), Verdict(Kind.DIFFERENT_END, "number")),
        (trace(GET), trace(POST, refused="b"), Verdict(Kind.DIFFERENT_END, "method, body")),
    ],
)
def test_compares_traces(ours: Trace, peer: Trace, verdict: Verdict) -> None:
    assert compare(ours, peer) == verdict


ECHO_GET = b"HTTP/1.1 200 OK\r\nEcho: 474554.2f.\r\nContent-Length: 0\r\n"


@pytest.mark.parametrize(("waits", "kind"), [(True, Kind.DIFFERENT_END), (False, Kind.OURS_CLOSES)])
def test_does_not_take_waiting_for_closing(monkeypatch: pytest.MonkeyPatch, waits: bool, kind: Kind) -> None:
    answers = {1: ECHO_GET + b"Connection: close\r\n\r\n", 2: 2 * (ECHO_GET + b"\r\n")}

    def exchange(port: int, _data: bytes, ends: bool = True) -> bytes:
        if waits and not ends:
            raise client.NoEnd
        return answers[port]

    monkeypatch.setattr(client, "exchange", exchange)
    (outcome,) = outcomes([Case(0, "two requests", b"")], {"handoff": 1, "h11": 2})
    assert outcome.verdicts["h11"].kind is kind


def test_no_message_ends_elsewhere_in_node_http_or_h11() -> None:
    skipped: list[str] = []
    cases = len(fixtures.read()) + MUTANTS
    result = run(Plan(cases, SEED, ["node:http", "h11"]), skipped.append)
    assert not skipped
    assert result.cases == cases
    assert not result.unexplained, f"seed {SEED}\n{report.unexplained(result)}"
