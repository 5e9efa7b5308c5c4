"""What each proxy does where a kept connection ends in silence, as one does that is just being closed."""

import http.client
import socketserver
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread
from typing import cast

from behind import proxy
from behind.client import over
from behind.proxy import Proxy

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class Closing(socketserver.ThreadingTCPServer):
    """Ends its first connection when the second request comes on it; answers all others."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Client)
        self.seen: list[str] = []
        self.has_closed = False


class Client(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        server = cast(Closing, self.server)
        while line := self.rfile.readline().decode():
            fields = http.client.parse_headers(self.rfile)
            self.rfile.read(int(fields.get("content-length", 0)))
            server.seen.append(line.rsplit(" ", 1)[0])
            if len(server.seen) > 1 and not server.has_closed:
                server.has_closed = True
                return
            self.wfile.write(ANSWER)


@contextmanager
def closing_server() -> Iterator[Closing]:
    with Closing() as server:
        Thread(target=server.serve_forever).start()
        try:
            yield server
        finally:
            server.shutdown()


def test_a_get_is_asked_again_where_its_connection_ended_in_silence(tmp_path: Path, installed: Proxy) -> None:
    with (
        closing_server() as server,
        proxy.run(installed, tmp_path / "proxy", server.server_address[1]) as site,
        site.connect() as connected,
        closing(over(connected)) as connection,
    ):
        for target in ("/first", "/second"):
            connection.request("GET", target)
            response = connection.getresponse()
            assert (response.status, response.read()) == (200, b"")

        assert server.seen == ["GET /first", "GET /second", "GET /second"]


def test_a_post_is_not(tmp_path: Path, installed: Proxy) -> None:
    with (
        closing_server() as server,
        proxy.run(installed, tmp_path / "proxy", server.server_address[1]) as site,
        site.connect() as connected,
        closing(over(connected)) as connection,
    ):
        connection.request("GET", "/first")
        connection.getresponse().read()
        connection.request("POST", "/second", b"hello")
        try:
            told = connection.getresponse().status
        except (http.client.RemoteDisconnected, ConnectionError):
            told = 0  # HAProxy does as the server did

        assert told in (0, 502)
        assert server.seen == ["GET /first", "POST /second"]
