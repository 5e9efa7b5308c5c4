"""The environ, as PEP 3333 asks for it."""

from typing import Any

import pytest
from handoff_worker.version import __version__
from handoff_worker.wsgi.environ import Environs
from recorded import Fields, Outbox, exchange


def environ_of(headers: Fields | None = None, **request: Any) -> dict[str, Any]:
    return Environs(multithread=True).of(exchange(Outbox(), headers=headers, **request))


def test_has_what_pep_3333_requires() -> None:
    environ = environ_of([("host", "example.org:8080")], method="POST", target="/a/b?x=1&y=%20", body=b"hi")
    assert environ["REQUEST_METHOD"] == "POST"
    assert (environ["SCRIPT_NAME"], environ["PATH_INFO"], environ["QUERY_STRING"]) == ("", "/a/b", "x=1&y=%20")
    assert (environ["SERVER_NAME"], environ["SERVER_PORT"]) == ("example.org", "8080")
    assert (environ["SERVER_PROTOCOL"], environ["wsgi.url_scheme"]) == ("HTTP/1.1", "http")
    assert (environ["REMOTE_ADDR"], environ["REMOTE_PORT"]) == ("203.0.113.9", "51324")
    assert environ["wsgi.input"].read() == b"hi"
    assert (environ["wsgi.multiprocess"], environ["wsgi.run_once"]) == (True, False)


@pytest.mark.parametrize("multithread", [True, False])
def test_tells_the_truth_about_threads(multithread: bool) -> None:
    assert Environs(multithread).of(exchange(Outbox()))["wsgi.multithread"] is multithread


@pytest.mark.parametrize(
    ("target", "prefix", "script", "path"),
    [
        ("/app/x?y", "/app", "/app", "/x"),
        ("/app?y", "/app", "/app", ""),
        ("/%61pp/a%2Fb", "/%61pp", "/app", "/a/b"),
        ("/caf%C3%A9/x", "/caf%C3%A9", "/caf\u00c3\u00a9", "/x"),
        ("/x", None, "", "/x"),
    ],
)
def test_prefix_is_the_script_name(target: str, prefix: str | None, script: str, path: str) -> None:
    environ = environ_of(target=target, prefix=prefix)
    assert (environ["SCRIPT_NAME"], environ["PATH_INFO"], environ["REQUEST_URI"]) == (script, path, target)


def test_scheme_is_what_the_core_believes() -> None:
    environ = environ_of([("host", "example.org")], scheme="https")
    assert (environ["wsgi.url_scheme"], environ["SERVER_PORT"]) == ("https", "443")
    environ = environ_of([("host", "example.org:80")], scheme="https")
    assert (environ["wsgi.url_scheme"], environ["SERVER_PORT"]) == ("https", "80")
    assert environ_of([], version="1.0", scheme="https")["SERVER_PORT"] == "443"


def test_a_certificate_of_the_client_is_told() -> None:
    environ = environ_of(scheme="https", clientCertificate="AAAA", clientSubject="CN=Zo\u00eb")
    assert environ["SSL_CLIENT_VERIFY"] == "SUCCESS"
    assert environ["SSL_CLIENT_CERT"] == "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    assert environ["SSL_CLIENT_S_DN"].encode("latin-1").decode() == "CN=Zo\u00eb"
    assert not [
        name for name in environ_of([("ssl-client-verify", "SUCCESS")], scheme="https") if name.startswith("SSL_")
    ]


def test_names_its_software() -> None:
    assert environ_of()["SERVER_SOFTWARE"] == f"handoff/{__version__}"


def test_path_holds_the_decoded_octets() -> None:
    assert environ_of(target="/%E2%82%AC/a%2Fb%20c")["PATH_INFO"] == "/\u00e2\u0082\u00ac/a/b c"


def test_target_as_it_came_is_there_too() -> None:
    assert environ_of(target="/a%2Fb?c")["RAW_URI"] == "/a%2Fb?c"


def test_asterisk_is_no_path() -> None:
    assert environ_of(method="OPTIONS", target="*")["PATH_INFO"] == ""


def test_query_keeps_further_question_marks() -> None:
    assert environ_of(target="/?a=?&b")["QUERY_STRING"] == "a=?&b"


def test_type_and_length_of_the_body_have_keys_without_http() -> None:
    environ = environ_of([("content-type", "text/plain"), ("content-length", "2")], method="POST", body=b"hi")
    assert (environ["CONTENT_TYPE"], environ["CONTENT_LENGTH"]) == ("text/plain", "2")
    assert "HTTP_CONTENT_TYPE" not in environ and "HTTP_CONTENT_LENGTH" not in environ


def test_headers_that_come_twice_are_joined() -> None:
    environ = environ_of([("accept", "a"), ("cookie", "a=1"), ("accept", "b"), ("cookie", "b=2")])
    assert (environ["HTTP_ACCEPT"], environ["HTTP_COOKIE"]) == ("a, b", "a=1; b=2")


def test_name_with_an_underscore_cannot_pass_for_one_with_a_hyphen() -> None:
    assert environ_of([("x_user", "forged"), ("x-user", "proxy")])["HTTP_X_USER"] == "proxy"
    assert "HTTP_X_USER" not in environ_of([("x_user", "forged")])


@pytest.mark.parametrize(
    ("host", "name", "port"),
    [
        ("example.org", "example.org", "80"),
        ("example.org:81", "example.org", "81"),
        ("[2001:db8::1]", "[2001:db8::1]", "80"),
        ("[2001:db8::1]:81", "[2001:db8::1]", "81"),
        ("example.org:", "example.org", "80"),
    ],
)
def test_server_is_what_the_client_called_it(host: str, name: str, port: str) -> None:
    environ = environ_of([("host", host)])
    assert (environ["SERVER_NAME"], environ["SERVER_PORT"]) == (name, port)


def test_server_has_a_name_without_host() -> None:
    environ = environ_of([], version="1.0")
    assert (environ["SERVER_NAME"], environ["SERVER_PORT"], environ["SERVER_PROTOCOL"]) == (
        "localhost",
        "80",
        "HTTP/1.0",
    )


def test_client_may_have_an_address_of_version_6() -> None:
    environ = environ_of(client="[2001:db8::1]:4711")
    assert (environ["REMOTE_ADDR"], environ["REMOTE_PORT"]) == ("2001:db8::1", "4711")


def test_client_of_a_unix_socket_has_no_address() -> None:
    environ = environ_of(client="unix:0")
    assert (environ["REMOTE_ADDR"], environ["REMOTE_PORT"]) == ("", "")


def test_each_request_has_an_environ_of_its_own() -> None:
    environs = Environs(multithread=False)
    environs.of(exchange(Outbox()))["mine"] = 1
    assert "mine" not in environs.of(exchange(Outbox()))
