"""A peer while it runs."""

import http.client
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from harness import process_tree
from harness.peers import Peer
from harness.shapes import Shape

READY_SECONDS = 60
STOP_SECONDS = 15


class ServerFailed(Exception):
    """A server that does not start, or does not answer as the others do."""


@dataclass(frozen=True)
class Server:
    peer: Peer
    port: int
    process: subprocess.Popen[bytes]
    log: Path

    def check(self, shape: Shape) -> str:
        """Asks once, and returns the head of the response; fails if it is not the answer that all must give."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", "/", headers=dict(shape.headers))
            response = connection.getresponse()
            body = response.read()
        finally:
            connection.close()
        if response.status != 200 or body != shape.expected_body:
            raise ServerFailed(f"{self.peer.key} answered {response.status} with {len(body)} bytes of body")
        fields = [f"{name}: {value}" for name, value in response.getheaders()]
        return "\n".join([f"HTTP/1.1 {response.status} {response.reason}", *fields])

    def await_ready(self, shape: Shape) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while True:
            if self.process.poll() is not None:
                raise ServerFailed(f"{self.peer.key} ended with {self.process.returncode}{self._log_tail()}")
            try:
                self.check(shape)
                return
            except (OSError, http.client.HTTPException, ServerFailed) as problem:
                if time.monotonic() > deadline:
                    raise ServerFailed(f"{self.peer.key} is not ready: {problem}{self._log_tail()}") from problem
                time.sleep(0.05)

    def freeze(self) -> None:
        """Takes all processor time from the whole tree; parents come first, so that none starts another meanwhile."""
        _send(signal.SIGSTOP, process_tree.tree(self.process.pid))

    def thaw(self) -> None:
        """Children come first, so that no parent misses their signs of life."""
        _send(signal.SIGCONT, reversed(process_tree.tree(self.process.pid)))

    @contextmanager
    def thawed(self) -> Iterator[None]:
        self.thaw()
        try:
            yield
        finally:
            self.freeze()

    def stop(self) -> None:
        """TERM to the first process; KILL to whatever of the tree is still there some seconds later."""
        handles = process_tree.handles(self.process.pid)
        self.process.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        for handle in handles:
            if not process_tree.await_end(handle, deadline - time.monotonic()):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
            os.close(handle)
        self.process.wait()

    def _log_tail(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines()[-10:]
        return "".join(f"\n    {line}" for line in lines)


@contextmanager
def running(peer: Peer, logs: Path, shape: Shape) -> Iterator[Server]:
    """Starts a peer, and stops it however the block ends."""
    port = free_port()
    log = logs / f"{peer.key}.log"
    with log.open("wb") as output:
        # In a session of its own, so that Ctrl-C reaches the harness alone, which then stops the server in order. In a folder
        # without a .venv: Handoff would take the one of this checkout, which has not what makes servers fast.
        process = subprocess.Popen(
            peer.command(port),
            cwd=logs,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=peer.environment,
            start_new_session=True,
        )
    server = Server(peer, port, process, log)
    try:
        server.await_ready(shape)
        yield server
    finally:
        server.stop()


def _send(signal_number: signal.Signals, processes: Iterable[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal_number)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
