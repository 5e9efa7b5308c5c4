"""Whole worker processes, with the test as their core on a socket of its own."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from played_core import PATIENCE, PlayedCore

WORKERS = Path(__file__).parent / "workers"
BOTH = pytest.mark.parametrize("file", ["blocking.py", "coroutine.py"])


class Listener:
    """Where workers find the played core."""

    def __init__(self, folder: Path) -> None:
        # By its name in the folder: a path of pytest's own may be longer than a socket's may be.
        self.path = folder / "core.sock"
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(self.path))
        self._socket.listen()
        self._socket.settimeout(PATIENCE)
        self._open: list[PlayedCore] = []
        self._processes: list[subprocess.Popen[str]] = []

    def start(self, file: str, token: str | None = "secret", **environment: str) -> "subprocess.Popen[str]":
        variables = {name: value for name, value in os.environ.items() if not name.startswith("HANDOFF_")}
        variables |= {"HANDOFF_SOCKET": str(self.path), **environment}
        if token is not None:
            variables["HANDOFF_TOKEN"] = token
        command = [sys.executable, str(WORKERS / file)]
        process = subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._processes.append(process)
        return process

    def accept(self) -> PlayedCore:
        core = PlayedCore(self._socket.accept()[0])
        self._open.append(core)
        return core

    def close(self) -> None:
        for core in self._open:
            core.close()
        for process in self._processes:
            process.kill()
            process.communicate()
        self._socket.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    with TemporaryDirectory() as folder:
        listener = Listener(Path(folder))
        yield listener
        listener.close()


@BOTH
def test_says_who_it_is(listener: Listener, file: str) -> None:
    worker = listener.start(file, HANDOFF_POOL="api", HANDOFF_WORKER="api-1")
    hello = listener.accept().expect("hello").head
    assert hello["sdk"].startswith("handoff ") and hello["language"].startswith("python 3.")
    assert {key: hello[key] for key in ("protocol", "concurrency", "pool", "token", "name", "pid")} == {
        "protocol": 1,
        "concurrency": 0,
        "pool": "api",
        "token": "secret",
        "name": "api-1",
        "pid": worker.pid,
    }


@BOTH
def test_opens_the_window_that_the_core_asks_for(listener: Listener, file: str) -> None:
    listener.start(file, HANDOFF_CONCURRENCY="3")
    assert listener.accept().greet() == 3


@BOTH
def test_sigterm_drains_and_ends_with_zero(listener: Listener, file: str) -> None:
    worker = listener.start(file)
    core = listener.accept()
    core.greet()
    worker.send_signal(signal.SIGTERM)
    core.expect("drain")
    core.close()
    assert worker.wait(PATIENCE) == 0


@BOTH
def test_what_is_in_hand_is_finished_after_sigterm(listener: Listener, file: str) -> None:
    worker = listener.start(file)
    core = listener.accept()
    core.greet()
    finish = listener.path.with_name("finish")
    request_id = core.request(f"/until?{finish}")
    assert worker.stdout is not None and worker.stdout.readline() == "waiting\n"
    worker.send_signal(signal.SIGTERM)
    core.expect("drain")
    finish.touch()
    assert core.expect("response").head["id"] == request_id
    core.close()
    assert worker.wait(PATIENCE) == 0


@BOTH
def test_a_spawned_worker_leaves_sigint_to_the_core(listener: Listener, file: str) -> None:
    worker = listener.start(file)
    core = listener.accept()
    core.greet()
    worker.send_signal(signal.SIGINT)
    core.request("/a")
    assert core.expect("response").body == b"/a"


@BOTH
def test_sigint_drains_a_worker_that_was_started_by_hand(listener: Listener, file: str) -> None:
    worker = listener.start(file, token=None)
    core = listener.accept()
    core.greet()
    worker.send_signal(signal.SIGINT)
    core.expect("drain")
    core.close()
    assert worker.wait(PATIENCE) == 0


@BOTH
def test_a_spawned_worker_ends_with_the_core(listener: Listener, file: str) -> None:
    worker = listener.start(file)
    core = listener.accept()
    core.greet()
    core.close()
    assert worker.wait(PATIENCE) == 1


@pytest.mark.parametrize("cancels", [1, 2])
def test_a_worker_ends_without_complaints_of_a_coroutine_that_holds_on(listener: Listener, cancels: int) -> None:
    worker = listener.start("coroutine.py")
    core = listener.accept()
    core.greet()
    core.request(f"/hold-on?{cancels}")
    assert worker.stdout is not None and worker.stdout.readline() == "waiting\n"
    core.close()
    _, stderr = worker.communicate(timeout=PATIENCE)
    assert worker.returncode == 1
    assert [line for line in stderr.splitlines() if "were cut off: 1" not in line] == []
    assert ("were cut off: 1" in stderr) == (cancels == 2)


@BOTH
def test_a_worker_that_was_started_by_hand_connects_again(listener: Listener, file: str) -> None:
    listener.start(file, token=None)
    for _ in range(3):
        core = listener.accept()
        core.greet()
        core.request("/a")
        core.expect("response")
        core.close()


@BOTH
def test_a_worker_that_was_started_by_hand_outlives_a_core_that_drains_it(listener: Listener, file: str) -> None:
    listener.start(file, token=None)
    for _ in range(2):
        core = listener.accept()
        core.greet()
        core.send({"type": "drain"})
        core.request("/a")
        core.expect("response")
        core.close()


@BOTH
def test_a_spawned_worker_ends_with_zero_after_the_drain_of_the_core(listener: Listener, file: str) -> None:
    worker = listener.start(file)
    core = listener.accept()
    core.greet()
    core.send({"type": "drain"})
    core.close()
    assert worker.wait(PATIENCE) == 0


@BOTH
def test_sigterm_ends_a_worker_that_waits_to_connect_again(listener: Listener, file: str) -> None:
    worker = listener.start(file, token=None, HANDOFF_SOCKET=str(listener.path) + "-nobody")
    assert worker.stderr is not None
    while "cannot connect" not in worker.stderr.readline():
        assert worker.poll() is None
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(PATIENCE) == 0


@BOTH
def test_a_refused_worker_says_why_and_ends_with_one(listener: Listener, file: str) -> None:
    worker = listener.start(file)
    core = listener.accept()
    core.expect("hello")
    core.send({"type": "refused", "code": "bad_token", "message": "pool api takes only its own"})
    core.close()
    assert worker.wait(PATIENCE) == 1
    assert worker.stderr is not None and "pool api takes only its own" in worker.stderr.read()


@BOTH
def test_children_do_not_get_the_token(listener: Listener, file: str) -> None:
    listener.start(file)
    core = listener.accept()
    core.greet()
    core.request("/token")
    assert core.expect("response").body == b"none"


@BOTH
def test_a_child_that_is_forked_does_not_hold_the_connection(listener: Listener, file: str) -> None:
    worker = listener.start(file)
    core = listener.accept()
    core.greet()
    core.request("/fork")
    child = int(core.expect("response").body)
    try:
        worker.kill()
        core.expect_end()
    finally:
        os.kill(child, signal.SIGTERM)


@BOTH
@pytest.mark.parametrize("way", ["/fork-and-terminate", "/process-and-terminate"])
def test_a_child_that_is_told_to_stop_ends_and_its_worker_goes_on(listener: Listener, file: str, way: str) -> None:
    listener.start(file)
    core = listener.accept()
    core.greet()
    core.request(way)
    assert core.expect("response").body == str(int(signal.SIGTERM)).encode()
    core.request("/a")
    assert core.expect("response").body == b"/a"


@BOTH
def test_prints_appear_at_once(listener: Listener, file: str) -> None:
    worker = listener.start(file)
    core = listener.accept()
    core.greet()
    core.request("/print")
    assert worker.stdout is not None and worker.stdout.readline() == "printed\n"


@BOTH
def test_a_worker_without_a_socket_says_what_to_do(listener: Listener, file: str) -> None:
    worker = listener.start(file, HANDOFF_SOCKET="")
    _, stderr = worker.communicate(timeout=PATIENCE)
    assert worker.returncode == 2
    assert stderr.count("\n") == 1 and "HANDOFF_SOCKET" in stderr and "handoff run" in stderr


@BOTH
def test_refuses_a_window_that_is_no_number(listener: Listener, file: str) -> None:
    worker = listener.start(file, HANDOFF_CONCURRENCY="many")
    _, stderr = worker.communicate(timeout=PATIENCE)
    assert worker.returncode == 2 and "HANDOFF_CONCURRENCY" in stderr
