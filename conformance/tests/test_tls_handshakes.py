"""Odd and hostile clients of TLS, one after the other: what each gets, and that the next client is served as usual."""

import ssl
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from tls.cases import all_cases
from tls.certificates import RSA, Pair, issue, issue_until, make
from tls.hello import TLS12, TLS13
from tls.odd_client import SERVED, Meddle, OddClient, Version, outcome
from tls.offers import all_offers
from tls.server import Server, running
from tls.talk import CertificateVerify, Talk, all_talks, in_place_of, wrongly
from tls.wire import reaction

OTHER = "other.example"
VERSIONS = {TLS12: "1.2", TLS13: "1.3"}

usual_and_newest = pytest.mark.parametrize("version", VERSIONS, ids=VERSIONS.values())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("tls")
    pairs = [make(folder, "localhost"), make(folder, OTHER, RSA)]
    with running(folder, pairs) as port:
        yield Server(port, pairs).once_it_serves()


def test_clients_that_say_hello(server: Server) -> None:
    wrong = []
    for case in (*all_cases(), *all_offers()):
        with server.connect() as connected:
            got = reaction(connected, case.sent, case.ends)
        if got != case.expected:
            wrong.append(f"{case.does}: {got} rather than {case.expected} ({case.rule})")
        assert server.serves_the_next_client(), case.does
    assert wrong == []


def goes_on(server: Server, version: Version, talk: Talk) -> str:
    with server.connect() as connected:
        client = OddClient(connected, talk.within)

        def act() -> bytes:
            talk.behind(client.greet(version))
            return client.ask() if talk.expected == SERVED and not talk.asked else client.answer()

        return outcome(act)


@usual_and_newest
def test_clients_that_go_on(server: Server, version: Version) -> None:
    wrong = []
    for talk in all_talks():
        if version in talk.versions:
            got = goes_on(server, version, talk)
            if got != talk.expected:
                wrong.append(f"{talk.does}: {got} rather than {talk.expected} ({talk.rule})")
            assert server.serves_the_next_client(), talk.does
    assert wrong == []


@dataclass(frozen=True)
class Visit:
    session: ssl.SSLSession | None
    resumed: bool
    shown: bytes | None


@usual_and_newest
def test_a_session_is_resumed_for_its_name_only(server: Server, version: Version) -> None:
    """RFC 6066 section 3, RFC 8446 section 4.6.1: the certificate of before would be taken for granted."""
    context = ssl.create_default_context()
    for pair in server.pairs:
        context.load_verify_locations(pair.certificate)
    context.minimum_version = context.maximum_version = ssl.TLSVersion(version[0] << 8 | version[1])

    def visit(name: str, session: ssl.SSLSession | None = None) -> Visit:
        with (
            server.connect() as plain,
            context.wrap_socket(plain, server_hostname=name, session=session) as usual,
        ):
            # With the answer have come the tickets.
            assert server.is_served(usual)
            return Visit(usual.session, bool(usual.session_reused), usual.getpeercert(binary_form=True))

    first = visit("localhost")
    assert not first.resumed
    assert visit("localhost", first.session).resumed
    other = visit(OTHER, visit("localhost").session)
    assert not other.resumed
    assert other.shown == bytes(server.pairs[1].chain().x509List[0].bytes)


class Clients:
    """Those whose certificates are asked for, and what they show."""

    def __init__(self, folder: Path) -> None:
        self.trusted, other = make(folder, "clients"), make(folder, "strangers")
        self.known = issue(folder, "known.example", self.trusted)
        self.stranger = issue(folder, "stranger.example", other)
        self.expired = issue(folder, "expired.example", self.trusted, days=0)
        self.deputy = issue(folder, "deputy", self.trusted, extensions="basicConstraints=critical,CA:TRUE")
        self.sent = issue(folder, "sent.example", self.deputy)
        self.of_known = issue(folder, "of-known.example", self.known)
        self.unrelated = other


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Clients:
    return Clients(tmp_path_factory.mktemp("clients"))


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory, clients: Clients) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("asking")
    pairs = [make(folder, "localhost")]
    with running(folder, pairs, clients.trusted) as port:
        yield Server(port, pairs, clients.known).once_it_serves()


def told(asking: Server, version: Version, pair: Pair | None, within: Meddle = lambda said: [said]) -> str:
    """What a client gets that shows this and waits, as for a ticket, or makes a request if it showed what is known."""
    with asking.connect() as connected:
        client = OddClient(connected, within)

        def act() -> bytes:
            client.greet(version, shown=pair)
            return client.ask() if pair == asking.client else client.answer()

        got = outcome(act)
    assert asking.serves_the_next_client()
    return got


@usual_and_newest
def test_certificates_of_clients(asking: Server, clients: Clients, version: Version) -> None:
    assert told(asking, version, clients.known) == SERVED
    # RFC 8446 section 4.4.2.4 has certificate_required, RFC 5246 section 7.4.6 has handshake_failure.
    assert told(asking, version, None) == ("handshake_failure" if version == TLS12 else "certificate_required")
    # RFC 8446 section 6.2 has unknown_ca and certificate_expired: the JDK does not tell them apart.
    assert told(asking, version, clients.stranger) == "certificate_unknown"
    assert told(asking, version, clients.expired) == "certificate_unknown"


@usual_and_newest
def test_certificates_that_a_client_has_no_key_for(asking: Server, clients: Clients, version: Version) -> None:
    """RFC 8446 section 4.4.3 and RFC 5246 section 7.4.8 have decrypt_error."""
    another = Pair(clients.known.certificate, clients.stranger.key)
    assert told(asking, version, another) == "handshake_failure"
    again = Pair(clients.known.certificate, clients.known.key, times=2)
    assert told(asking, version, again, wrongly(CertificateVerify, "signature")) == "handshake_failure"
    assert told(asking, version, again, in_place_of(CertificateVerify)) == "unexpected_message"


@usual_and_newest
def test_long_chains_of_certificates(asking: Server, clients: Clients, version: Version) -> None:
    """The JDK takes eight (jdk.tls.server.maxInboundCertificateChainLength), and messages of 32 KiB."""
    for times in (9, 100):
        chain = Pair(clients.known.certificate, clients.known.key, times)
        # RFC 8446 section 6.2 has bad_certificate.
        assert told(asking, version, chain) == ("handshake_failure" if version == TLS12 else "internal_error")


@usual_and_newest
def test_what_else_is_in_a_chain(asking: Server, clients: Clients, version: Version) -> None:
    """The server keeps all that is shown; so it has to be signed by whom it trusts."""

    def shows(own: Pair, *behind: Pair) -> str:
        return told(asking, version, Pair(own.certificate, own.key, behind=behind))

    # It says nothing against these, and waits for a request.
    for taken in (shows(clients.sent, clients.deputy), shows(clients.known, clients.trusted)):
        assert taken == "nothing for too long"
    assert shows(clients.known, clients.unrelated) == "certificate_unknown"
    assert shows(clients.sent, clients.deputy, clients.unrelated) == "certificate_unknown"
    # Who has a certificate may not vouch for another.
    assert shows(clients.known, clients.of_known, clients.known) == "certificate_unknown"


@usual_and_newest
def test_a_session_ends_with_the_certificate(
    asking: Server, clients: Clients, version: Version, tmp_path: Path
) -> None:
    end = datetime.now(timezone.utc) + timedelta(seconds=15)
    short = issue_until(tmp_path, "short.example", clients.trusted, end)
    context = ssl.create_default_context(cafile=asking.pairs[0].certificate)
    context.minimum_version = context.maximum_version = ssl.TLSVersion(version[0] << 8 | version[1])
    context.load_cert_chain(short.certificate, short.key)

    def visit(session: ssl.SSLSession | None = None) -> ssl.SSLSession | None:
        with (
            asking.connect() as plain,
            context.wrap_socket(plain, server_hostname="localhost", session=session) as usual,
        ):
            assert usual.session_reused == (session is not None)
            assert asking.is_served(usual)
            return usual.session

    session = visit(visit())
    time.sleep(max(0.0, (end - datetime.now(timezone.utc)).total_seconds()) + 1)
    with pytest.raises((OSError, AssertionError)):
        visit(session)
    assert asking.serves_the_next_client()
