"""The scope, as the ASGI specification asks for it."""

from typing import Any

import pytest
from handoff_worker.asgi.scope import scope_of, web_socket_scope_of
from recorded import Fields, Outbox, exchange


def scope(headers: Fields | None = None, **request: Any) -> dict[str, Any]:
    return scope_of(exchange(Outbox(), headers=headers, **request), {})


def test_has_what_the_specification_requires() -> None:
    found = scope([("host", "example.org:81"), ("x-a", "1"), ("x-a", "2")], method="POST", target="/a?x=1&y=%20")
    extensions = found.pop("extensions")
    assert found == {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/a",
        "raw_path": b"/a",
        "query_string": b"x=1&y=%20",
        "root_path": "",
        "headers": [(b"host", b"example.org:81"), (b"x-a", b"1"), (b"x-a", b"2")],
        "client": ("203.0.113.9", 51324),
        "server": ("example.org", 81),
        "state": {},
    }
    assert extensions["handoff"]["deadline"] > 0


@pytest.mark.parametrize(
    ("target", "prefix", "path", "root"),
    [("/app/x", "/app", "/app/x", "/app"), ("/caf%C3%A9/x", "/caf%C3%A9", "/café/x", "/café"), ("/x", None, "/x", "")],
)
def test_prefix_is_the_root_path_and_stays_in_the_path(target: str, prefix: str | None, path: str, root: str) -> None:
    found = scope(target=target, prefix=prefix)
    assert (found["path"], found["root_path"], found["raw_path"]) == (path, root, target.encode())


def test_scheme_is_what_the_core_believes() -> None:
    found = scope([("host", "example.org")], scheme="https")
    assert (found["scheme"], found["server"]) == ("https", ("example.org", 443))
    asked = exchange(Outbox(), websocket=[], scheme="https")
    assert web_socket_scope_of(asked, {})["scheme"] == "wss"
    assert web_socket_scope_of(exchange(Outbox(), websocket=[]), {})["scheme"] == "ws"


def test_path_is_decoded_as_utf_8_and_the_raw_one_is_not() -> None:
    found = scope(target="/%E2%82%AC/a%2Fb")
    assert (found["path"], found["raw_path"]) == ("/€/a/b", b"/%E2%82%AC/a%2Fb")


def test_path_that_is_not_utf_8_has_replacement_characters() -> None:
    assert scope(target="/%FF")["path"] == "/\ufffd"


def test_method_is_the_one_that_the_core_has_routed() -> None:
    assert scope(method="patch")["method"] == "patch"


def test_header_values_are_the_octets_that_came() -> None:
    assert scope([("x-name", "\xe9\xff")])["headers"] == [(b"x-name", b"\xe9\xff")]


def test_server_is_unknown_without_host() -> None:
    assert scope([], version="1.0")["server"] is None


@pytest.mark.parametrize(
    ("client", "pair"), [("192.0.2.1:80", ("192.0.2.1", 80)), ("[::1]:4711", ("::1", 4711)), ("unix:0", None)]
)
def test_client_is_the_peer(client: str, pair: tuple[str, int]) -> None:
    assert scope(client=client)["client"] == pair


def test_a_certificate_of_the_client_is_told() -> None:
    shown = {"clientCertificate": "A" * 65 + "BC=", "clientSubject": "CN=billing"}
    assert scope(scheme="https", **shown)["extensions"]["tls"] == {
        "server_cert": None,
        "client_cert_chain": [f"-----BEGIN CERTIFICATE-----\n{'A' * 64}\nABC=\n-----END CERTIFICATE-----\n"],
        "client_cert_name": "CN=billing",
        "client_cert_error": None,
        "tls_version": None,
        "cipher_suite": None,
    }
    assert "tls" not in scope(scheme="https")["extensions"]


def test_state_is_a_copy_of_the_lifespans() -> None:
    state: dict[str, Any] = {"pool": []}
    found = scope_of(exchange(Outbox()), state)
    found["state"]["mine"] = 1
    assert state == {"pool": []} and found["state"]["pool"] is state["pool"]


def test_request_id_is_the_cores() -> None:
    assert scope(requestId="01J9")["extensions"]["handoff"]["request_id"] == "01J9"
