"""Clients that read the responses of the fixtures in `http-responses`, each in a process that answers line by line."""

import json
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from differential.response_fixtures import Read, Refused, ResponseFixture
from differential.servers import BUILT, SOURCES, find, output_of

ANSWER_SECONDS = 20


@dataclass(frozen=True)
class Client:
    key: str
    versions: str
    command: tuple[str, ...]


def node_http() -> Client:
    node = find("node")
    parser = output_of(node, "-p", "process.versions.llhttp")
    versions = f"Node {output_of(node, '--version').removeprefix('v')}, llhttp {parser}"
    return Client("node:http", versions, (node, str(SOURCES / "node_http_client.mjs")))


def net_http() -> Client:
    go = find("go")
    program = str(BUILT / "net-http-client")
    output_of(go, "build", "-o", program, str(SOURCES / "net_http_client.go"))
    return Client("net/http", output_of(go, "env", "GOVERSION").replace("go", "Go "), (program,))


CLIENTS: dict[str, Callable[[], Client]] = {"node:http": node_http, "net/http": net_http}


def read_all(client: Client, fixtures: Sequence[ResponseFixture]) -> list[Read | Refused]:
    """What the client makes of each fixture, in their order."""
    with _serving(fixtures) as port:
        process = subprocess.Popen(
            [*client.command, str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdin is not None and process.stdout is not None
        # A client that hangs is a fault of the check: its output ends, and reading it fails.
        watch = threading.Timer(ANSWER_SECONDS * 3, process.kill)
        watch.start()
        try:
            found = []
            for number, fixture in enumerate(fixtures):
                process.stdin.write(f"{number} {fixture.request}\n")
                process.stdin.flush()
                found.append(_answer(process.stdout.readline(), fixture))
            return found
        finally:
            watch.cancel()
            process.stdin.close()
            process.stdout.close()
            process.kill()
            process.wait()


def _answer(line: str, fixture: ResponseFixture) -> Read | Refused:
    if not line:
        raise RuntimeError(f"the client has ended, or hung: {fixture.name}")
    said = json.loads(line)
    return Refused(said["refused"]) if "refused" in said else Read(said["status"], bytes.fromhex(said["content"]))


@contextmanager
def _serving(fixtures: Sequence[ResponseFixture]) -> Iterator[int]:
    """A server that answers `/N` with the bytes of the fixture N, and ends its output behind them."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_serve, args=(listener, fixtures), name="fixtures")
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            # A shutdown wakes accept on Linux, where close alone does not.
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def _serve(listener: socket.socket, fixtures: Sequence[ResponseFixture]) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection, suppress(OSError):
            connection.settimeout(ANSWER_SECONDS)
            head = b""
            while b"\r\n\r\n" not in head:
                part = connection.recv(65536)
                if not part:
                    break
                head += part
            connection.sendall(fixtures[int(head.split(b" ", 2)[1][1:])].data)
            connection.shutdown(socket.SHUT_WR)
            # Until the client has closed, so that nothing of ours is lost to a reset.
            while connection.recv(65536):
                pass
