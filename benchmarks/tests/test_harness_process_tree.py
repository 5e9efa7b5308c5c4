import subprocess
import sys
from collections.abc import Iterator

import pytest
from harness import process_tree

# A parent that starts a child, which uses some CPU time and then says so and waits for its end.
CHILD = "import sys, time\nwhile time.process_time() < 0.2: pass\nprint('ready', flush=True)\nsys.stdin.read()"
PARENT = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {CHILD!r}])"


@pytest.fixture
def parent() -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process


def test_counts_time_and_memory_of_descendants(parent: "subprocess.Popen[str]") -> None:
    assert len(process_tree.tree(parent.pid)) == 2
    assert process_tree.cpu_seconds(parent.pid) >= 0.15
    assert process_tree.memory_bytes(parent.pid) > 2**20


def test_handles_tell_when_their_process_ends(parent: "subprocess.Popen[str]") -> None:
    handles = process_tree.handles(parent.pid)
    assert not process_tree.await_end(handles[1], 0)
    parent.communicate("")  # the child reads to the end of this, and then the parent has nothing to wait for
    assert all(process_tree.await_end(handle, 10) for handle in handles)


def test_a_process_that_is_gone_counts_nothing() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert process_tree.cpu_seconds(process.pid) == 0
    assert process_tree.memory_bytes(process.pid) == 0
    assert process_tree.handles(process.pid) == []
