"""Clients that check every byte, read slowly, stop for a while, leave and reset. Each is a thread, and its seed decides what it does."""

import http.client
import random
import re
import shutil
import socket
import struct
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256

from faults.content import MOST_BYTES, Arrival, Content, WrongBytes

PATIENCE_SECONDS = 60.0
"""For one read. No fault lasts so long."""
READ_BYTES = 32 * 1024
POOLS = ("python", "node")
MOST_CONTENT_BYTES = 8_000_000
SLOW_CONTENT_BYTES = 200_000
UPLOAD_BYTES = (10, 20_000_000)
LASTING_PIECES, LASTING_SECONDS = 50, 10

WHOLE, CUT, LEFT, CLOSED = "whole", "cut", "left", "closed"
"""How a request ends, if not by an error's status: the whole response came; its head and not its end; the client left; not even a head."""

STAYING = ("at once", "slowly", "stops")
LEAVING = ("leaves", "resets")


class Left(Exception):
    """This client has seen enough."""


class Tally:
    """How the requests of all clients ended, and what must never happen. Used by all their threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.outcomes: Counter[str] = Counter()
        self.violations: list[str] = []

    def ended(self, outcome: str) -> None:
        with self._lock:
            self.outcomes[outcome] += 1

    def violated(self, what: str) -> None:
        with self._lock:
            self.violations.append(what)


class Client(threading.Thread):
    """Asks until it is told to stop, and then finishes its request. A server that closes without a response ends it, too."""

    def __init__(
        self, number: int, port: int, seed: str, leaves: bool, lasts: bool, tally: Tally, stop: threading.Event
    ) -> None:
        """`leaves`: whether it may leave before the end. `lasts`: whether its responses may go on for many seconds."""
        super().__init__(name=f"client {number} of {seed}", daemon=True)
        self._port, self._tally, self._stopping = port, tally, stop
        self._random = random.Random(self.name)
        self._ways = STAYING + LEAVING if leaves else STAYING
        self._lasts = lasts
        self._connection: http.client.HTTPConnection | None = None

    def run(self) -> None:
        asked, outcome = 0, WHOLE
        while outcome != CLOSED and not self._stopping.is_set():
            asked += 1
            outcome = self.ask(self._random.choice(POOLS), f"{self.name} {asked}".replace(" ", "-"))
        self._disconnect()

    def ask(self, pool: str, key: str, kind: Callable[[str, str], str] | None = None) -> str:
        """Sends one request, tells the tally how it ended, and returns that."""
        kind = kind or self._random.choices((self.small, self.stream, self.upload, self.curl), (3, 6, 2, 1))[0]
        try:
            outcome = kind(f"/{pool}?key={key}", key)
        except Left:
            outcome = LEFT
        except (WrongBytes, TimeoutError, http.client.HTTPException) as problem:
            outcome = "wrong"
            self._tally.violated(f"{kind.__name__} {key} of {pool}: {type(problem).__name__} {problem}")
        self._tally.ended(outcome)
        if outcome != WHOLE or self._random.random() < 0.3:
            self._disconnect()
        return outcome

    def small(self, target: str, key: str) -> str:
        came = bytearray()
        return self._exchange("GET", target, "at once", came.extend, lambda: bytes(came) == key.encode())

    def stream(self, target: str, key: str) -> str:
        way = self._random.choice(self._ways)
        content, target = self._streamed(target, key, SLOW_CONTENT_BYTES if way == "slowly" else MOST_CONTENT_BYTES)
        arrival = Arrival(content)
        return self._exchange("GET", target, way, arrival.take, lambda: arrival.is_whole)

    def curl(self, target: str, key: str) -> str:
        """The same as curl sees it: what it calls whole has to be so."""
        program = shutil.which("curl")
        if program is None:
            return self.stream(target, key)
        content, target = self._streamed(target, key, MOST_CONTENT_BYTES)
        command = [program, "--silent", "--max-time", f"{PATIENCE_SECONDS:g}", "--dump-header", "/dev/stderr"]
        run = subprocess.run([*command, f"http://127.0.0.1:{self._port}{target}"], capture_output=True, check=False)
        head = re.match(rb"HTTP/1.1 (\d+)(?s:.*?handoff-error: (\w+))?", run.stderr, re.IGNORECASE)
        if head is None:
            return CLOSED
        if head[1] != b"200":
            return f"{head[1].decode()} {(head[2] or b'-').decode()}"
        arrival = Arrival(content)
        for begin in range(0, len(run.stdout), MOST_BYTES):
            arrival.take(run.stdout[begin : begin + MOST_BYTES])
        return self._ended(run.returncode == 0, arrival.is_whole)

    def _streamed(self, target: str, key: str, most: int) -> tuple[Content, str]:
        """A response in pieces: many at once, or few with pauses between them, as events have."""
        length = int(self._random.random() ** 3 * most)
        piece, pause = self._random.choice((MOST_BYTES, 10_000, 1000)), 0
        if self._random.random() < 0.3:
            length, piece, pause = length % 20_000, 500, self._random.choice((5, 20, 50))
        if self._lasts and self._random.random() < 0.5:
            length, piece, pause = LASTING_PIECES * 500, 500, 1000 * LASTING_SECONDS // LASTING_PIECES
        framing = self._random.choice(("length", "chunked"))
        return Content(key, length), f"{target}&length={length}&piece={piece}&pause={pause}&framing={framing}"

    def upload(self, target: str, key: str) -> str:
        least, most = UPLOAD_BYTES
        content = Content(key, int(least + self._random.random() ** 3 * (most - least)))
        way = self._random.choice(self._ways)
        digest, came = sha256(), bytearray()
        fields = {"Content-Length": str(content.length)} if self._random.random() < 0.5 else None

        def parts() -> Iterator[bytes]:
            leave_at = self._random.randrange(content.length)
            for begin in range(0, content.length, MOST_BYTES):
                if way in LEAVING and begin >= leave_at:
                    self._leave(way)
                if way == "slowly" or (way == "stops" and begin <= leave_at < begin + MOST_BYTES):
                    time.sleep(0.01 if way == "slowly" else 1)
                digest.update(part := content.part(begin, MOST_BYTES))
                yield part

        def is_whole() -> bool:
            return bytes(came) == f"{key} {content.length} {digest.hexdigest()}".encode()

        return self._exchange("POST", target, way, came.extend, is_whole, parts(), fields)

    def _exchange(
        self,
        method: str,
        target: str,
        way: str,
        take: Callable[[bytes], object],
        is_whole: Callable[[], bool],
        body: Iterator[bytes] | None = None,
        fields: dict[str, str] | None = None,
    ) -> str:
        """One request as http.client sends it, and its rules for where a response ends."""
        try:
            connection = self._connected(way)
            # A length is the client's own; without one http.client sends chunks. A response may be there although sending failed.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, target, body, fields or {})
            response = connection.getresponse()
        except (http.client.RemoteDisconnected, ConnectionError):
            return CLOSED
        if response.status != 200:
            response.read()
            return f"{response.status} {response.getheader('Handoff-Error', '-')}"
        try:
            self._read(response, way, take)
        except (http.client.IncompleteRead, ConnectionError):
            return self._ended(False, is_whole())
        return self._ended(not response.length, is_whole())  # what a Content-Length still wants, or nothing

    def _ended(self, looks_whole: bool, is_whole: bool) -> str:
        if looks_whole and not is_whole:
            raise WrongBytes("a part of a response looks whole")
        return WHOLE if looks_whole else CUT

    def _read(self, response: http.client.HTTPResponse, way: str, take: Callable[[bytes], object]) -> None:
        pause_at = self._random.randrange(SLOW_CONTENT_BYTES)
        came, paused = 0, False
        while data := response.read(1024 if way == "slowly" else READ_BYTES):
            take(data)
            came += len(data)
            if way == "slowly":
                time.sleep(0.005)
            elif came > pause_at and not paused:
                paused = True
                if way == "stops":
                    time.sleep(self._random.uniform(0.2, 1.5))
                elif way in LEAVING:
                    self._leave(way)

    def _connected(self, way: str) -> http.client.HTTPConnection:
        if way == "slowly":
            self._disconnect()
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._port)
            client = socket.socket()
            if way == "slowly":
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.settimeout(PATIENCE_SECONDS)
            client.connect(("127.0.0.1", self._port))
            self._connection.sock = client
        return self._connection

    def _leave(self, way: str) -> None:
        if way == "resets" and self._connection and self._connection.sock:
            self._connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Left

    def _disconnect(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = None
