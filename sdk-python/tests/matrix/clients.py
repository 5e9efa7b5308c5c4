"""Asks the same request of an application by its framework's own test client, and of a server by a connection."""

import http.client
from collections.abc import Callable
from typing import Any

from cases import HOST, Case, GivenResponse

PATIENCE = 30.0


def by_http(port: int, case: Case) -> GivenResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.putrequest(case.method, case.target, skip_host=True, skip_accept_encoding=True)
        for name, value in case.all_headers:
            connection.putheader(name, value.encode("latin-1"))
        if case.body is not None and not case.chunked:
            connection.putheader("Content-Length", str(len(case.body)))
        if case.chunked:
            connection.putheader("Transfer-Encoding", "chunked")
        body: Any = case.body if not case.chunked else iter([case.body[:3], case.body[3:]] if case.body else [])
        connection.endheaders(body, encode_chunked=case.chunked)
        response = connection.getresponse()
        return GivenResponse.of(response.status, response.getheaders(), response.read())
    finally:
        connection.close()


def by_flask(case: Case) -> GivenResponse:
    from flask_site import app

    client = app.test_client(use_cookies=False)
    response = client.open(
        case.target, method=case.method, headers=case.all_headers, data=case.body, base_url=f"http://{HOST}/"
    )
    return GivenResponse.of(response.status_code, list(response.headers), response.get_data())


def by_starlette(case: Case) -> GivenResponse:
    from starlette.testclient import TestClient
    from starlette_site import app

    client = TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False, follow_redirects=False)
    headers = [(name.encode(), value.encode("latin-1")) for name, value in case.all_headers]
    response = client.request(case.method, case.target, headers=headers, content=case.body)
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw]
    return GivenResponse.of(response.status_code, pairs, response.content)


def by_django(case: Case) -> GivenResponse:
    import django_site  # noqa: F401  configures Django
    from django.test import Client

    joined: dict[str, str] = {}
    for name, value in case.all_headers:
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    content_type = joined.pop("Content-Type", "")
    response = Client(raise_request_exception=False).generic(
        case.method, case.target, case.body or b"", content_type, headers=joined
    )
    body = b"".join(response.streaming_content) if response.streaming else response.content
    cookies = [("Set-Cookie", morsel.output(header="").strip()) for morsel in response.cookies.values()]
    return GivenResponse.of(response.status_code, [*response.items(), *cookies], body)


OUT_OF_REACH = {
    "starlette_site:app": ("header_of_octets", "response_with_header_of_octets"),
    "django_site:asgi": ("path_not_utf_8",),
}
"""Cases in which a test client is no measure: Starlette's takes all headers for UTF-8, Django's paths are WSGI's octets."""

TEST_CLIENTS: dict[str, Callable[[Case], GivenResponse]] = {
    "flask_site:app": by_flask,
    "starlette_site:app": by_starlette,
    "django_site:wsgi": by_django,
    "django_site:asgi": by_django,
}
