"""What of a request gets through each proxy, and what of an answer comes back."""

import hashlib
import subprocess

import pytest
from behind.client import ADDRESS, NAME, Site

FORGED = "192.0.2.66"


def test_answers_over_tls(site: Site) -> None:
    told = site.ask("GET", "/hello").json()

    assert (told["method"], told["target"]) == ("GET", "/hello")


def test_answers_over_http_2(site: Site) -> None:
    asking = ["curl", "--silent", "--show-error", "--http2", "--output", "/dev/null", "--write-out", "%{http_version}"]
    asking += ["--cacert", str(site.certificate), "--resolve", f"{NAME}:{site.port}:127.0.0.1"]

    done = subprocess.run([*asking, f"https://{NAME}:{site.port}/"], check=False, capture_output=True, text=True)

    assert done.stdout == "2", done.stderr


def test_the_handler_learns_who_the_client_is_and_how_it_came(site: Site) -> None:
    told = site.ask("GET", "/").json()

    assert told["client"] == ADDRESS
    assert told["fields"]["x-forwarded-for"] == [ADDRESS]
    assert told["fields"]["x-forwarded-proto"] == ["https"]
    assert told["fields"]["x-forwarded-host"] == [NAME]
    assert told["fields"]["host"] == [NAME]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("x-forwarded-for", FORGED),
        ("forwarded", f"for={FORGED};proto=gopher;host=forged.example"),
        ("x-real-ip", FORGED),
        ("x-forwarded-proto", "gopher"),
        ("x-forwarded-host", "forged.example"),
        ("x-forwarded-port", "70"),
        ("x-forwarded-prefix", "/forged"),
        ("x-forwarded-server", "forged.example"),
        ("x-forwarded-ssl", "gopher"),
        ("client-cert", ":Zm9yZ2Vk:"),
        ("client-cert-chain", ":Zm9yZ2Vk:"),
        ("x_forwarded_for", FORGED),
        ("client_cert", ":Zm9yZ2Vk:"),
    ],
)
def test_no_client_is_believed_who_it_is(site: Site, field: str, value: str) -> None:
    honest = site.ask("GET", "/").json()

    assert site.ask("GET", "/", fields={field: value}).json() == honest


@pytest.mark.parametrize("target", ["/a%2Fb", "//a", "/a/./b", "/%61?q=%20&r=/../", "/a;b=c"])
def test_the_target_stays_as_the_client_wrote_it(site: Site, target: str) -> None:
    assert site.ask("GET", target).json()["target"] == target


def test_a_large_body_arrives_whole(site: Site) -> None:
    body = bytes(range(256)) * 20_000

    assert site.ask("POST", "/", body).json()["body"] == hashlib.sha256(body).hexdigest()


def test_a_large_answer_arrives_whole(site: Site) -> None:
    answer = site.ask("GET", "/large")

    assert (answer.status, answer.body) == (200, b"x" * 2**20)


def test_head_tells_the_length_without_the_content(site: Site) -> None:
    answer = site.ask("HEAD", "/large")

    assert (answer.status, answer.fields["content-length"], answer.body) == (200, str(2**20), b"")


def test_the_limit_on_bodies_is_handoffs_and_holds_before_the_body_is_here(site: Site) -> None:
    told = site.send_on(f"POST / HTTP/1.1\r\nHost: {NAME}\r\nContent-Length: {2**40}\r\n\r\n".encode())

    assert told.startswith(b"HTTP/1.1 413 "), told
    assert b"\r\nhandoff-error: body_too_large\r\n" in told.lower(), told


def test_a_refusal_for_want_of_workers_says_when_to_come_again(site: Site) -> None:
    answer = site.ask("GET", "/nobody")

    assert (answer.status, answer.fields["handoff-error"], answer.fields["retry-after"]) == (503, "no_worker", "1")


def test_a_request_that_took_too_long_is_handoffs_to_tell(site: Site) -> None:
    answer = site.ask("GET", "/late")

    assert (answer.status, answer.fields["handoff-error"]) == (504, "deadline")
