"""What is kept of texts that clients choose: a worker lives long, and nobody may fill it."""

from collections.abc import Iterator

import pytest
from handoff_worker import Response
from handoff_worker.asgi import header_texts
from handoff_worker.asgi.header_texts import texts_of
from handoff_worker.gateway.addresses import server_addresses
from handoff_worker.gateway.bounded_cache import MOST_CHARACTERS, BoundedCache
from handoff_worker.plain import response
from handoff_worker.protocol.response_frame import MOST_CACHED, MOST_CACHED_CHARACTERS
from handoff_worker.wsgi import environ
from handoff_worker.wsgi.environ import MOST_KEYS, Environs
from recorded import Outbox, exchange


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    environ._keys.clear()
    header_texts._known.clear()
    response._known.clear()
    yield


def test_keeps_so_many_texts_and_no_long_one() -> None:
    calls: list[str] = []

    def length(text: str) -> int:
        calls.append(text)
        return len(text)

    lengths = BoundedCache(2, length)
    longest = "x" * MOST_CHARACTERS
    texts = (longest, longest, longest + "x", longest + "x")
    assert [lengths[text] for text in texts] == [128, 128, 129, 129]
    assert calls == [longest, longest + "x", longest + "x"]
    assert [lengths["a"], lengths["b"], lengths[longest]] == [1, 1, 128]
    assert calls[3:] == ["a", "b", longest], "all was dropped for b"
    assert len(lengths) == 2


def test_long_hosts_are_read_and_not_kept() -> None:
    host = "a" * (MOST_CHARACTERS + 1)
    assert server_addresses[host] == ((host, 80), (host, 443))
    assert host not in server_addresses


def test_keeps_so_many_names_of_headers_and_no_long_one() -> None:
    environs = Environs(multithread=False)
    longest = "a" * MOST_CHARACTERS
    for name in [*(f"x-{i}" for i in range(MOST_KEYS - 1)), longest, longest + "a"]:
        assert environs.of(exchange(Outbox(), headers=[(name, "1")]))["HTTP_" + name.upper().replace("-", "_")] == "1"
    assert len(environ._keys) == MOST_KEYS
    assert longest in environ._keys and longest + "a" not in environ._keys
    environs.of(exchange(Outbox(), headers=[("one-more", "1")]))
    assert len(environ._keys) == 1


def test_keeps_so_many_headers_of_responses_and_no_long_ones() -> None:
    longest = "x" * (MOST_CACHED_CHARACTERS - 1)
    for value in [*map(str, range(MOST_CACHED - 1)), longest, longest + "x"]:
        assert Response(headers={"a": value}).headers == (("a", value),)
    assert len(response._known) == MOST_CACHED
    Response(headers={"a": "one more"})
    assert len(response._known) == 1


def test_keeps_so_many_headers_of_asgi_and_no_long_ones() -> None:
    longest = b"x" * (MOST_CACHED_CHARACTERS - 1)
    for value in [*(b"%d" % i for i in range(MOST_CACHED - 1)), longest, longest + b"x"]:
        for _ in range(2):
            assert texts_of([(b"a", value)]) == (("a", value.decode()),)
    assert len(header_texts._known) == MOST_CACHED
    texts_of([(b"a", b"one more")])
    assert len(header_texts._known) == 1


def test_headers_of_asgi_may_be_lists_and_come_once() -> None:
    lines = [[b"x-name", b"\xe4"], [b"a", b"b"]]
    for _ in range(2):
        assert texts_of(line for line in lines) == (("x-name", "ä"), ("a", "b"))  # type: ignore[misc]
    assert not header_texts._known
    assert texts_of([(b"a", b"b")]) is texts_of(line for line in ((b"a", b"b"),))
