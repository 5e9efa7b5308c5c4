"""Visitors of a server of TLS, which is Python's own: what they count, and that they resume sessions only if they are to."""

import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from harness.load import LoadFailed, run_visitors


class Hello(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def context(tmp_path: Path) -> ssl.SSLContext:
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    command += ["-subj", "/CN=localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


@pytest.fixture
def port(context: ssl.SSLContext) -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hello)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("resumed", [False, True])
def test_counts_those_who_were_served(port: int, resumed: bool) -> None:
    load = run_visitors(port, 8, resumed)
    assert load.requests == 8
    assert 0 < load.p50_micros <= load.p99_micros <= load.seconds * 1e6


def test_a_session_that_is_not_resumed_is_an_error(context: ssl.SSLContext, port: int) -> None:
    context.num_tickets = 0
    with pytest.raises(LoadFailed, match="8 status errors"):
        run_visitors(port, 8, True)
