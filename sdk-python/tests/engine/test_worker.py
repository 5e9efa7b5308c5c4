"""The life of a worker process: hello, welcome, drain and the end."""

import os
import signal
import socket
from pathlib import Path

import pytest
from played_core import PATIENCE
from worker_processes import BOTH, Listener


@BOTH
def test_says_who_it_is_and_where(listener: Listener, program: str) -> None:
    worker = listener.start(program, HANDOFF_POOL="api", HANDOFF_WORKER="api-1")
    hello = listener.accept().expect("hello").head
    assert hello["host"] == socket.gethostname()
    assert hello["sdk"].startswith("handoff-worker ") and hello["language"].startswith("python 3.")
    assert {key: hello[key] for key in ("protocol", "concurrency", "pool", "token", "name", "pid")} == {
        "protocol": 1,
        "concurrency": 0,
        "pool": "api",
        "token": "secret",
        "name": "api-1",
        "pid": worker.pid,
    }


@BOTH
def test_opens_the_window_that_the_core_asks_for(listener: Listener, program: str) -> None:
    listener.start(program, HANDOFF_CONCURRENCY="3")
    assert listener.accept().greet() == 3


@BOTH
def test_sigterm_drains_and_ends_with_zero(listener: Listener, program: str) -> None:
    worker = listener.start(program)
    core = listener.accept()
    core.greet()
    worker.send_signal(signal.SIGTERM)
    core.expect("drain")
    core.close()
    assert worker.wait(PATIENCE) == 0


@BOTH
def test_what_is_in_hand_is_finished_after_sigterm(listener: Listener, program: str) -> None:
    worker = listener.start(program)
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
def test_a_spawned_worker_leaves_sigint_to_the_core(listener: Listener, program: str) -> None:
    worker = listener.start(program)
    core = listener.accept()
    core.greet()
    worker.send_signal(signal.SIGINT)
    core.request("/a")
    assert core.expect("response").body == b"/a"


@BOTH
def test_sigint_drains_a_worker_that_was_started_by_hand(listener: Listener, program: str) -> None:
    worker = listener.start(program, token=None)
    core = listener.accept()
    core.greet()
    worker.send_signal(signal.SIGINT)
    core.expect("drain")
    core.close()
    assert worker.wait(PATIENCE) == 0


@BOTH
def test_a_spawned_worker_ends_with_the_core(listener: Listener, program: str) -> None:
    worker = listener.start(program)
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
def test_a_worker_that_was_started_by_hand_connects_again(listener: Listener, program: str) -> None:
    listener.start(program, token=None)
    for _ in range(3):
        core = listener.accept()
        core.greet()
        core.request("/a")
        core.expect("response")
        core.close()


@BOTH
def test_a_worker_that_was_started_by_hand_outlives_a_core_that_drains_it(listener: Listener, program: str) -> None:
    listener.start(program, token=None)
    for _ in range(2):
        core = listener.accept()
        core.greet()
        core.send({"type": "drain"})
        core.request("/a")
        core.expect("response")
        core.close()


@BOTH
def test_a_spawned_worker_ends_with_zero_after_the_drain_of_the_core(listener: Listener, program: str) -> None:
    worker = listener.start(program)
    core = listener.accept()
    core.greet()
    core.send({"type": "drain"})
    core.close()
    assert worker.wait(PATIENCE) == 0


@BOTH
def test_sigterm_ends_a_worker_that_waits_to_connect_again(listener: Listener, program: str) -> None:
    worker = listener.start(program, token=None, HANDOFF_SOCKET=str(listener.path) + "-nobody")
    assert worker.stderr is not None
    while "cannot connect" not in worker.stderr.readline():
        assert worker.poll() is None
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(PATIENCE) == 0


@BOTH
def test_a_refused_worker_says_why_and_ends_with_one(listener: Listener, program: str) -> None:
    worker = listener.start(program)
    core = listener.accept()
    core.expect("hello")
    core.send({"type": "refused", "code": "bad_token", "message": "pool api takes only its own"})
    core.close()
    assert worker.wait(PATIENCE) == 1
    assert worker.stderr is not None and "pool api takes only its own" in worker.stderr.read()


@BOTH
def test_children_do_not_get_the_token(listener: Listener, program: str) -> None:
    listener.start(program)
    core = listener.accept()
    core.greet()
    core.request("/token")
    assert core.expect("response").body == b"none"


@BOTH
def test_a_child_that_is_forked_does_not_hold_the_connection(listener: Listener, program: str) -> None:
    worker = listener.start(program)
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
def test_a_child_that_is_told_to_stop_ends_and_its_worker_goes_on(listener: Listener, program: str, way: str) -> None:
    listener.start(program)
    core = listener.accept()
    core.greet()
    core.request(way)
    assert core.expect("response").body == str(int(signal.SIGTERM)).encode()
    core.request("/a")
    assert core.expect("response").body == b"/a"


@BOTH
def test_prints_appear_at_once(listener: Listener, program: str) -> None:
    worker = listener.start(program)
    core = listener.accept()
    core.greet()
    core.request("/print")
    assert worker.stdout is not None and worker.stdout.readline() == "printed\n"


@BOTH
def test_a_worker_without_a_socket_says_what_to_do(listener: Listener, program: str) -> None:
    worker = listener.start(program, HANDOFF_SOCKET="")
    _, stderr = worker.communicate(timeout=PATIENCE)
    assert worker.returncode == 2
    assert stderr.count("\n") == 1 and "HANDOFF_SOCKET" in stderr and "handoff run" in stderr


@BOTH
def test_refuses_a_window_that_is_no_number(listener: Listener, program: str) -> None:
    worker = listener.start(program, HANDOFF_CONCURRENCY="many")
    _, stderr = worker.communicate(timeout=PATIENCE)
    assert worker.returncode == 2 and "HANDOFF_CONCURRENCY" in stderr


@BOTH
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not say what a process holds")
def test_tells_its_memory_where_the_core_cannot_look(listener: Listener, program: str) -> None:
    listener.start(program, token=None)
    core = listener.accept()
    core.expect("hello")
    core.welcome()
    assert 1 << 20 < core.expect("capacity").head["memoryBytes"] < 1 << 30


@BOTH
def test_a_worker_of_the_core_leaves_its_memory_to_that(listener: Listener, program: str) -> None:
    listener.start(program)
    core = listener.accept()
    core.expect("hello")
    core.welcome()
    assert "memoryBytes" not in core.expect("capacity").head


@BOTH
def test_who_may_not_use_the_socket_is_told_what_to_do(listener: Listener, program: str) -> None:
    owner = f"{os.getuid()}:{os.getgid()}"
    listener.path.chmod(0)
    listener.path.parent.chmod(0o711)
    worker = listener.start("as_nobody.py" if os.getuid() == 0 else program, token=None, PROGRAM=program)
    assert worker.stderr is not None
    said = worker.stderr.readline()
    assert f"cannot connect to {listener.path}: Permission denied; this worker runs as user " in said
    assert f'run the worker as that user, or with that group as its own (in Compose: user: "{owner}")' in said
