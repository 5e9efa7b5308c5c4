"""`HANDOFF_READY_FILE` and `python -m handoff_worker.ready`: a health check that fails while the worker takes no requests."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from played_core import PlayedCore
from serving import PATIENCE, ROOT
from worker_processes import BOTH, WORKERS, Listener

HANDOFF = ROOT / "handoff"


@pytest.fixture
def file() -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        yield Path(folder, "ready")


def checked(file: Path | str) -> tuple[int, str]:
    """The exit code of the check, and what it says."""
    environment = {**os.environ, "HANDOFF_READY_FILE": str(file)}
    done = subprocess.run(
        [sys.executable, "-m", "handoff_worker.ready"], check=False, env=environment, capture_output=True, text=True
    )
    return done.returncode, done.stdout.strip()


def await_that(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def started(listener: Listener, program: str, file: Path) -> tuple["subprocess.Popen[str]", PlayedCore]:
    """A worker and its core, which has welcomed it and knows its window."""
    worker = listener.start(program, token=None, HANDOFF_READY_FILE=str(file))
    core = listener.accept()
    core.greet()
    return worker, core


@BOTH
def test_is_there_once_the_window_is_open(listener: Listener, program: str, file: Path) -> None:
    worker = listener.start(program, token=None, HANDOFF_READY_FILE=str(file))
    core = listener.accept()
    core.expect("hello")
    assert checked(file) == (1, f"no worker is ready: {file} is not there")
    core.welcome()
    core.expect("capacity")
    assert file.read_text().split()[0] == str(worker.pid)
    assert checked(file) == (0, "ready")
    assert os.listdir(file.parent) == ["ready"]


@BOTH
def test_goes_when_the_connection_is_lost_and_comes_again(listener: Listener, program: str, file: Path) -> None:
    _, core = started(listener, program, file)
    core.close()
    core = listener.accept()
    core.expect("hello")
    assert not file.exists()
    core.welcome()
    core.expect("capacity")
    assert file.exists()


@BOTH
def test_goes_before_the_worker_says_drain(listener: Listener, program: str, file: Path) -> None:
    worker, core = started(listener, program, file)
    worker.send_signal(signal.SIGTERM)
    core.expect("drain")
    assert not file.exists()
    core.close()
    assert worker.wait(PATIENCE) == 0
    assert not file.exists()


@BOTH
def test_goes_when_the_core_says_drain(listener: Listener, program: str, file: Path) -> None:
    _, core = started(listener, program, file)
    core.send({"type": "drain"})
    await_that(lambda: not file.exists())


@BOTH
def test_what_a_killed_process_left_is_not_believed(listener: Listener, program: str, file: Path) -> None:
    worker, _ = started(listener, program, file)
    worker.kill()
    assert checked(file) == (1, f"the process {worker.pid}, which was ready, is gone"), "not yet waited for"
    worker.wait()
    assert checked(file) == (1, f"the process {worker.pid}, which was ready, is gone")


@BOTH
def test_what_a_killed_process_left_goes_when_the_next_one_starts(listener: Listener, program: str, file: Path) -> None:
    file.write_text("1\n")
    listener.start(program, token=None, HANDOFF_READY_FILE=str(file))
    listener.accept().expect("hello")
    assert not file.exists()


@BOTH
def test_workers_of_the_core_leave_it_alone(listener: Listener, program: str, file: Path) -> None:
    """Several of them would have the same; who watches the core asks that."""
    file.write_text("1\n")
    listener.start(program, HANDOFF_READY_FILE=str(file))
    listener.accept().greet()
    assert file.read_text() == "1\n"


@BOTH
def test_a_worker_serves_though_it_cannot_write_it(listener: Listener, program: str, file: Path) -> None:
    worker = listener.start(program, token=None, HANDOFF_READY_FILE=str(file / "nowhere"))
    core = listener.accept()
    core.greet()
    core.request("/a")
    assert core.expect("response").body == b"/a"
    assert worker.stderr is not None
    assert "HANDOFF_READY_FILE cannot be written" in worker.stderr.readline()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not say when a process started")
def test_a_process_that_has_the_id_of_an_earlier_one_is_not_believed(file: Path) -> None:
    file.write_text(f"{os.getpid()} 1\n")
    assert checked(file) == (1, f"the process {os.getpid()}, which was ready, is gone")


def test_the_id_alone_is_enough(file: Path) -> None:
    file.write_text(f"{os.getpid()}\n")
    assert checked(file) == (0, "ready")


@pytest.mark.parametrize("content", ["", "ready\n", "-1\n"])
def test_a_file_without_an_id_is_not_believed(file: Path, content: str) -> None:
    file.write_text(content)
    assert checked(file) == (1, f"{file} does not begin with the id of a process")


def test_the_check_says_when_it_was_not_told_where_to_look() -> None:
    code, said = checked("")
    assert code == 1 and "HANDOFF_READY_FILE is not set" in said


def test_it_follows_a_real_core(file: Path) -> None:
    """Which comes after the worker, and goes before it."""
    socket = file.with_name("core.sock")
    plain = {name: value for name, value in os.environ.items() if not name.startswith("HANDOFF_")}
    environment = {**plain, "HANDOFF_SOCKET": str(socket), "HANDOFF_READY_FILE": str(file)}
    worker = subprocess.Popen([sys.executable, WORKERS / "blocking.py"], env=environment, stderr=subprocess.DEVNULL)
    serve = [HANDOFF, "serve", "--socket", str(socket), "--port", "0", "--admin-port", "0"]
    core = subprocess.Popen(serve, env=plain, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        await_that(lambda: checked(file)[0] == 0)
        core.send_signal(signal.SIGTERM)
        await_that(lambda: checked(file)[0] == 1)
        assert worker.poll() is None
    finally:
        for process in (core, worker):
            process.terminate()
            process.wait(PATIENCE)
