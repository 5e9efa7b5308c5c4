"""Clients that ask without pause, and count what they are answered."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPException
from threading import Event, Thread

from live.process import until

from behind.client import Site, ask, over

CLIENTS = 4

Asked = Sequence[tuple[str, bytes | None]]


ASKED = (("GET", None), ("POST", b"x" * 1000))
"""In turn: one that may be repeated, and one that may not."""


class Load:
    """Each client waits for an answer before it asks again."""

    def __init__(self, site: Site, asked: Asked) -> None:
        self.answers: Counter[int] = Counter()
        """By status."""
        self.troubles: list[str] = []
        """Requests without an answer."""
        self._enough = Event()
        self._clients = [Thread(target=self._ask_on, args=[site, asked]) for _ in range(CLIENTS)]
        for client in self._clients:
            client.start()

    def await_more(self, count: int = 200) -> None:
        known = self.answers.total()
        until(lambda: self.troubles or self.answers.total() >= known + count or None, "more answers")

    def stop(self) -> None:
        """While there is still somebody to answer."""
        self._enough.set()
        for client in self._clients:
            client.join()

    def _ask_on(self, site: Site, asked: Asked) -> None:
        with site.connect() as connected:
            connection = over(connected)
            while not self._enough.is_set():
                for method, body in asked:
                    try:
                        self.answers[ask(connection, method, "/", body).status] += 1
                    except (OSError, HTTPException) as trouble:
                        self.troubles.append(f"{method}: {trouble!r}")
                        return


@contextmanager
def constant(site: Site, asked: Asked = ASKED) -> Iterator[Load]:
    load = Load(site, asked)
    try:
        load.await_more()
        yield load
    finally:
        load.stop()
