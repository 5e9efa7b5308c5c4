"""A Handoff with one worker that does as it is told."""

import http.client
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from live import process

ROOT = Path(__file__).resolve().parents[2]
OBEDIENT = Path(__file__).with_name("obedient.py")


@dataclass(frozen=True)
class Answer:
    status: int
    type: str
    text: str


@dataclass(frozen=True)
class Handoff:
    port: int
    admin_port: int

    def get(self, path: str) -> Answer:
        return ask(self.port, "GET", path)

    def metrics(self, accept: str = "text/plain") -> str:
        answer = ask(self.admin_port, "GET", "/metrics", {"accept": accept})
        assert answer.status == 200, answer
        return answer.text

    def reset(self) -> None:
        answer = ask(self.admin_port, "POST", "/stats/reset")
        assert answer.status == 200, answer


def ask(port: int, method: str, path: str, fields: dict[str, str] | None = None) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=process.LIMIT_SECONDS)
    try:
        connection.request(method, path, headers=fields or {})
        response = connection.getresponse()
        return Answer(response.status, response.getheader("content-type", ""), response.read().decode())
    finally:
        connection.close()


@contextmanager
def run(folder: Path, *options: str) -> Iterator[Handoff]:
    worker = ["--", sys.executable, str(OBEDIENT), str(folder)]
    command = [str(ROOT / "handoff"), "run", "--port", "0", "--admin-port", "0", "--workers", "1", *options, *worker]
    with process.run(command, folder / "handoff.log") as running:
        port = int(running.await_line(r"http://127\.0\.0\.1:(\d+)/\n"))
        admin_port = int(running.await_line(r"dashboard +http://127\.0\.0\.1:(\d+)"))
        server = Handoff(port, admin_port)
        process.until(lambda: ask(admin_port, "GET", "/ready").status == 200 or None, "a ready worker")
        yield server
