"""
What other clients make of the responses in the fixtures, beside Handoff: see ../README.md and docs/DIFFERENTIAL.md.

    python -m differential.responses                                      # says what is not explained
    python -m differential.responses --report ../docs/DIFFERENTIAL.md     # renews the tables there
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from differential import response_fixtures
from differential.clients import CLIENTS, Client, read_all
from differential.response_fixtures import Read, Refused, ResponseFixture
from differential.servers import Unavailable

# Between these lines a document has the tables.
BEGIN = "<!-- written by differential.responses: begin -->\n"
END = "<!-- responses end -->\n"


class Kind(Enum):
    SAME = "same"
    OURS_STRICTER = "ours stricter"
    PEER_STRICTER = "peer stricter"
    DIFFERENT = "different"
    """Both take the bytes for a response, but not for the same."""


OUR_RULES = {
    "it does not speak HTTP/1.0 or 1.1": "llhttp takes 0.9 and 2.0 as well, Go any two digits. llhttp also skips empty lines, which"
    " are the rest of content that was counted wrongly.",
    "its status is not a number of three digits": "One space and 100 to 999; Go parses a number in three characters, llhttp takes 099.",
    "its status line ends with a line feed alone, or has a control character": "Lines end with CRLF, and control characters act on"
    " logs and terminals; Go takes LF alone, and both take most controls in a reason.",
    "a carriage return stands without a line feed in its status line": "Go takes it for a part of the reason, or skips it.",
    "its header fields are malformed (bare_lf)": "Lines end with CRLF; Go takes LF alone (RFC 9112 section 2.2 permits it).",
    "its header fields are malformed (obsolete_fold)": "Go unfolds, as RFC 9112 section 5.2 permits; other readers see another field.",
    "its header fields are malformed (space_before_colon)": "Go takes the name with its space for a field of another name.",
    "its header fields are malformed (too_many_fields)": "Our limit is 500; the clients count bytes.",
    "the head of its response is larger than 65536 bytes": "Our limit is 64 KiB, Go's 10 MiB.",
    "it sent more than 16 interim responses": "Our limit is 16; the clients count none, or their bytes.",
    "it switches protocols, which nobody asked for": "Go leaves it to its caller.",
    "its transfer coding is not chunked alone": "llhttp takes the last coding if it is chunked, and reads all others to the end, undecoded. In"
    " a response without content it does not look.",
    "Transfer-Encoding is not part of HTTP/1.0": "RFC 9112 section 6.1 calls the framing faulty. llhttp reads chunks, Go to the end: the two"
    " see other content.",
    "Content-Length came together with Transfer-Encoding": "Go obeys Transfer-Encoding, as RFC 9112 section 6.3 permits.",
    "there is more than one Content-Length": "Go takes several that are equal, as RFC 9110 section 8.6 permits.",
    "its Content-Length is not a number, or is too large": "At most 18 digits; the clients take any number of zeros.",
    "its chunks are malformed (bad_chunk_size)": "At most 16 digits; llhttp takes any number of zeros.",
    "its chunks are malformed (bad_chunk_extension)": "Extensions have the grammar of RFC 9112 section 7.1.1; llhttp takes a missing value,"
    " Go skips to the line end.",
    "its chunks are malformed (chunk_extension_too_long)": "Our limit is 1 KiB for each response.",
    "its chunks are malformed (space_before_colon)": "Go takes the name with its space for a trailer of another name.",
    "its chunks are malformed (trailers_too_large)": "Our limit is 500 trailers; the clients count bytes.",
}
"""By what Handoff says where a client accepts: why it refuses all the same."""


@dataclass(frozen=True)
class Known:
    client: str
    kind: Kind
    words: str
    """How the client's refusal begins."""
    fixtures: tuple[str, ...]
    why: str


BEHIND = (
    "no-content.md: Refuses content behind a response to HEAD",
    "no-content.md: Refuses content behind a 204",
    "no-content.md: Refuses content of a 304 as the next response",
    "persistence.md: Refuses a byte behind the content",
    "persistence.md: Refuses bytes behind the last chunk",
)

KNOWN = [
    Known(
        "node:http",
        Kind.DIFFERENT,
        "",
        ("transfer-encoding.md: Takes white space around chunked",),
        "A tab is white space like the blank (RFC 9110 section 5.6.3). llhttp knows the blank only, and takes the rest for an unknown"
        " coding, whose content ends with the connection. It is Handoff that passes the content on, with framing of its own, so"
        " no later reader sees the tab.",
    ),
    Known(
        "node:http",
        Kind.PEER_STRICTER,
        "HPE_INVALID_CONTENT_LENGTH",
        ("content-length.md: Takes white space around the digits",),
        "A tab is white space like the blank; llhttp knows the blank only.",
    ),
    Known(
        "node:http",
        Kind.PEER_STRICTER,
        "HPE_INVALID_CONTENT_LENGTH",
        ("chunked.md: Does not obey framing in trailers",),
        "llhttp checks framing in trailers, as if in the head; we drop trailers (RFC 9112 section 7.1.2).",
    ),
    Known(
        "node:http",
        Kind.PEER_STRICTER,
        "HPE_INVALID_CHUNK_SIZE",
        ("chunked.md: Reads white space around the parts of an extension",),
        "The white space is bad, but to be read (RFC 9112 section 7.1.1).",
    ),
    Known(
        "net/http",
        Kind.PEER_STRICTER,
        "invalid byte in chunk length",
        ("chunked.md: Reads white space around the parts of an extension",),
        "The white space is bad, but to be read (RFC 9112 section 7.1.1).",
    ),
    Known(
        "node:http",
        Kind.PEER_STRICTER,
        "HPE_INVALID_VERSION",
        (
            "status-line.md: Reads a later minor version as 1.1",
            "transfer-encoding.md: Reads chunked in a later minor version",
        ),
        "A higher minor version is to be read as 1.1 (RFC 9110 section 2.5).",
    ),
    Known(
        "node:http",
        Kind.PEER_STRICTER,
        "HPE_HEADER_OVERFLOW",
        ("limits.md: Takes a head of 65536 bytes", "limits.md: Takes a long head behind long early hints"),
        "Node's limit is 16 KiB, ours 64 KiB.",
    ),
    Known(
        "node:http",
        Kind.PEER_STRICTER,
        "HPE_CLOSED_CONNECTION",
        ("interim.md: Passes over 103 and its fields",),
        "llhttp obeys Connection in an interim response. The final one follows on the same connection all the same (RFC 9110 section 15.2).",
    ),
    Known(
        "node:http",
        Kind.PEER_STRICTER,
        "HPE_CLOSED_CONNECTION",
        ("persistence.md: Reads nothing behind a response that closes",),
        "A client closes behind a response that says so (RFC 9112 section 9.6), and need not read on; llhttp refuses what follows.",
    ),
    Known(
        "node:http",
        Kind.PEER_STRICTER,
        "HPE_INVALID_CONSTANT",
        BEHIND,
        "The response is the same to both. We refuse the bytes behind it as the next thing, and llhttp reads them before it hands over"
        " the response.",
    ),
]


@dataclass(frozen=True)
class Difference:
    fixture: ResponseFixture
    client: str
    verdict: Read | Refused
    """The client's."""

    @property
    def kind(self) -> Kind:
        ours = self.fixture.verdict
        if isinstance(ours, Refused):
            return Kind.SAME if isinstance(self.verdict, Refused) else Kind.OURS_STRICTER
        if isinstance(self.verdict, Refused):
            return Kind.PEER_STRICTER
        return Kind.SAME if self.verdict == ours else Kind.DIFFERENT

    @property
    def why(self) -> str | None:
        """The explanation, if there is one."""
        if isinstance(self.fixture.verdict, Refused):
            return OUR_RULES.get(self.fixture.verdict.why)
        words = self.verdict.why if isinstance(self.verdict, Refused) else ""
        return next(
            (
                known.why
                for known in KNOWN
                if (known.client, known.kind) == (self.client, self.kind)
                and self.fixture.name in known.fixtures
                and words.startswith(known.words)
            ),
            None,
        )

    def __str__(self) -> str:
        return f"{self.kind.value}, {self.client}: {self.fixture.name}: {self.fixture.verdict}, not {self.verdict}"


def differences(client: Client, fixtures: Sequence[ResponseFixture]) -> list[Difference]:
    found = (
        Difference(fixture, client.key, verdict)
        for fixture, verdict in zip(fixtures, read_all(client, fixtures), strict=True)
    )
    return [one for one in found if one.kind is not Kind.SAME]


def unexplained(found: Sequence[Difference]) -> list[str]:
    return [str(one) for one in found if one.why is None]


def tables(found: Mapping[Client, Sequence[Difference]], count: int) -> str:
    facts = [["fixtures", str(count)], *([client.key, client.versions] for client in found)]
    stricter = _by_fixture(found, Kind.OURS_STRICTER)
    rows = [
        [_cell(name), *(_taken(of.get(client.key)) for client in found), _cell(next(iter(of.values())).why or "")]
        for name, of in stricter.items()
    ]
    others = [
        [one.client, one.kind.value, _cell(one.fixture.name), _cell(one.why or "")]
        for found_by in found.values()
        for one in found_by
        if one.kind is not Kind.OURS_STRICTER
    ]
    return "\n".join(
        [
            _table(["", ""], facts),
            "### We refuse, a client accepts\n",
            _table(["fixture", *(client.key for client in found), "why"], rows),
            "### We accept, a client refuses or reads something else\n",
            _table(["client", "kind", "fixture", "why"], others),
        ]
    )


def _by_fixture(found: Mapping[Client, Sequence[Difference]], kind: Kind) -> dict[str, dict[str, Difference]]:
    """The differences of a kind by fixture, and then by client."""
    grouped: dict[str, dict[str, Difference]] = {}
    for one in (one for found_by in found.values() for one in found_by if one.kind is kind):
        grouped.setdefault(one.fixture.name, {})[one.client] = one
    return dict(sorted(grouped.items()))


def _taken(difference: Difference | None) -> str:
    if difference is None or isinstance(difference.verdict, Refused):
        return "refuses"
    return f"{difference.verdict.status}, {len(difference.verdict.content)} bytes"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="differential.responses")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the tables there, between the marks")
    options = parser.parse_args(arguments)
    fixtures = response_fixtures.read()
    found: dict[Client, list[Difference]] = {}
    for key, make in CLIENTS.items():
        try:
            client = make()
        except Unavailable as problem:
            print(f"skipped: {key}: {problem}", file=sys.stderr)
            continue
        found[client] = differences(client, fixtures)
    if options.report:
        before, begin, rest = options.report.read_text(encoding="utf-8").partition(BEGIN)
        _, end, after = rest.partition(END)
        if not end:
            parser.error(f"{options.report} has no marks")
        options.report.write_text(f"{before}{begin}\n{tables(found, len(fixtures))}{end}{after}", encoding="utf-8")
    problems = [line for found_by in found.values() for line in unexplained(found_by)]
    print("\n".join([*problems, *(f"{client.key}: {len(found_by)} differences" for client, found_by in found.items())]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
