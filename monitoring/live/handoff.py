"""A Handoff with one worker that does as it is told."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from live import process
from live.client import Answer, ask
from live.process import until

ROOT = Path(__file__).resolve().parents[2]
OBEDIENT = Path(__file__).with_name("obedient.py")


@dataclass(frozen=True)
class Handoff:
    port: int
    admin_port: int
    folder: Path

    def get(self, path: str) -> Answer:
        return ask(self.port, "GET", path)

    def post(self, path: str) -> Answer:
        return ask(self.port, "POST", path)

    def admin(self, path: str, accept: str = "*/*") -> Answer:
        return ask(self.admin_port, "GET", path, {"accept": accept})

    def release(self, name: str) -> None:
        """Lets the worker answer requests for /until/NAME."""
        (self.folder / name).touch()

    def await_ready(self) -> None:
        until(lambda: self.admin("/ready").status == 200 or None, "a ready worker")

    def metrics(self, accept: str = "text/plain") -> str:
        answer = self.admin("/metrics", accept)
        assert answer.status == 200, answer
        return answer.text

    def reset(self) -> None:
        answer = ask(self.admin_port, "POST", "/stats/reset")
        assert answer.status == 200, answer


@contextmanager
def run(folder: Path, *options: str) -> Iterator[Handoff]:
    worker = ["--", sys.executable, str(OBEDIENT), str(folder)]
    command = [str(ROOT / "handoff"), "run", "--port", "0", "--admin-port", "0", "--workers", "1", *options, *worker]
    with process.run(command, folder / "handoff.log") as running:
        port = int(running.await_line(r"http://127\.0\.0\.1:(\d+)/\n"))
        admin_port = int(running.await_line(r"dashboard +http://127\.0\.0\.1:(\d+)"))
        server = Handoff(port, admin_port, folder)
        server.await_ready()
        yield server
