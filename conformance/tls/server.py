"""A Handoff that speaks TLS, and a usual client of it: Python's own, which is OpenSSL."""

import json
import re
import ssl
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import create_connection, socket

from tls.certificates import Pair

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 90.0
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
SERVED = b"HTTP/1.1 200 OK\r\n"


@dataclass(frozen=True)
class Server:
    port: int
    pairs: Sequence[Pair]
    client: Pair | None = None
    """With which the usual client is let in; None where it needs none."""

    def connect(self) -> socket:
        # A handshake that stands still is ended after 10 s.
        return create_connection(("127.0.0.1", self.port), 9)

    def once_it_serves(self) -> "Server":
        """Its first handshake, for which Java reads much of itself, may take longer than one may, on a machine that is busy."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                assert self.serves_the_next_client()
                return self
            except OSError:
                assert time.monotonic() < deadline, "no client is served"

    def serves_the_next_client(self) -> bool:
        name = self.pairs[0].certificate.stem
        trust = ssl.create_default_context(cafile=self.pairs[0].certificate)
        if self.client:
            trust.load_cert_chain(self.client.certificate, self.client.key)
        with self.connect() as plain, trust.wrap_socket(plain, server_hostname=name) as usual:
            return self.is_served(usual)

    def is_served(self, connected: socket) -> bool:
        connected.sendall(REQUEST)
        return b"".join(iter(lambda: connected.recv(65536), b"")).startswith(SERVED)


@contextmanager
def running(folder: Path, pairs: Sequence[Pair], clients: Pair | None = None) -> Iterator[int]:
    """Answers each request by itself. Clients have to show what `clients` has signed, if it is given."""
    settings = {
        "port": 0,
        "adminPort": 0,
        "socket": str(folder / "worker.sock"),
        "tlsListen": "127.0.0.1:0",
        "tlsCertificate": ",".join(str(pair.certificate) for pair in pairs),
        "tlsKey": ",".join(str(pair.key) for pair in pairs),
        "routes": [{"respond": {"status": 200, "body": "hello"}}],
    }
    if clients:
        settings["tlsClientCa"] = str(clients.certificate)
    # Else the first start would build, which may take longer than anybody waits for it.
    subprocess.run([ROOT / "scripts" / "build", "fresh"], check=True, stdout=subprocess.DEVNULL)
    configuration, log = folder / "handoff.json", folder / "log"
    configuration.write_text(json.dumps(settings))
    with log.open("wb") as output:
        command = [str(ROOT / "handoff"), "serve", "--config", str(configuration)]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
    try:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (told := re.search(r"https://127\.0\.0\.1:(\d+)/", log.read_text())):
            assert process.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.02)
        yield int(told[1])
        assert process.poll() is None, log.read_text()
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)
