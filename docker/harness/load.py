"""Clients that keep their connections and ask on and on, and count what they are answered: nothing that is lost goes uncounted."""

import http.client
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Event, Lock, Thread

from live.process import until

LIMIT_SECONDS = 60
ANSWERED = "200"
PAUSE_SECONDS = 0.1
"""Of a client that was refused or cut off, as a real one makes. Who tries again at once uses up the processor, and the ports of this
machine: each connection that was closed keeps one for a minute."""


class Load:
    def __init__(
        self,
        port: int,
        path: str,
        method: str = "GET",
        host: str = "127.0.0.1",
        fields: Mapping[str, str] | None = None,
    ) -> None:
        self._host = host
        self._fields = fields or {}
        self._port = port
        self._path = path
        self._method = method
        self._enough = Event()
        self._lock = Lock()
        self._outcomes: Counter[str] = Counter()
        self._bodies: set[str] = set()

    @property
    def outcomes(self) -> Counter[str]:
        """How many requests ended how: a status with its Handoff-Error, or what befell the connection."""
        with self._lock:
            return self._outcomes.copy()

    @property
    def lost(self) -> int:
        return sum(count for outcome, count in self.outcomes.items() if outcome != ANSWERED)

    @property
    def bodies(self) -> set[str]:
        """All that differ, since they were forgotten."""
        with self._lock:
            return self._bodies.copy()

    def forget_bodies(self) -> None:
        with self._lock:
            self._bodies.clear()

    def await_more(self, count: int) -> None:
        """Until so many more have been answered well."""
        wanted = self.outcomes[ANSWERED] + count
        until(lambda: self.outcomes[ANSWERED] >= wanted or None, f"{count} more answers; so far {self.outcomes}")

    def stop(self) -> None:
        self._enough.set()

    def ask_on(self) -> None:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=LIMIT_SECONDS)
        while not self._enough.is_set():
            body = ""
            try:
                connection.request(self._method, self._path, headers=self._fields)
                response = connection.getresponse()
                body = response.read().decode()
                outcome = " ".join([str(response.status), *response.headers.get_all("handoff-error", [])])
            except (OSError, http.client.HTTPException) as lost:
                outcome = type(lost).__name__
                connection.close()
                self._enough.wait(PAUSE_SECONDS)
            with self._lock:
                self._outcomes[outcome] += 1
                self._bodies.add(body)
        connection.close()


@contextmanager
def load(
    port: int,
    path: str = "/",
    clients: int = 16,
    method: str = "GET",
    host: str = "127.0.0.1",
    fields: Mapping[str, str] | None = None,
) -> Iterator[Load]:
    """Every client has its first answer already; those that are out at the end are awaited too. With `Connection: close` among the
    fields, each request has a connection of its own."""
    running = Load(port, path, method, host, fields)
    threads = [Thread(target=running.ask_on) for _ in range(clients)]
    for each in threads:
        each.start()
    try:
        running.await_more(clients)
        yield running
    finally:
        running.stop()
        for each in threads:
            each.join()
