"""What samplers write is read, grouped and drawn as it is meant."""

from collections import Counter
from collections.abc import Mapping
from xml.etree import ElementTree

import pytest
from harness import flame_graph, hot_parts, profile_report, stacks
from harness.hot_parts import Part, Used
from harness.profiling import Profile, Seen, hot_paths
from harness.stacks import Stacks
from harness.workspace import ROOT

SVG = "{http://www.w3.org/2000/svg}"


def test_reads_async_profilers_stacks_and_joins_threads_and_lambdas_with_numbers() -> None:
    line = "[handoff-loop-{0} tid={0}7];dev/handoff/loop/EventLoop$$Lambda.0x0000{0}ab0.run_[j];__GI_write;ksys_write_[k] {0}"

    found = stacks.from_async_profiler("\n".join([line.format(1), line.format(2)]))

    stack = ("[handoff-loop]", "dev.handoff.loop.EventLoop$$Lambda.run", "__GI_write", "ksys_write [k]")
    assert found == {stack: 3}


def test_reads_py_spys_stacks_without_lines_and_without_system_calls() -> None:
    text = "main (a/b.py:1);<listcomp> (a/c.py:7) 2\nmain (a/b.py:3);<listcomp> (a/c.py:9) 5\n"
    text += "main (a/b.py:1);sock_call_ex (socketmodule.c:921);__libc_send (libc.so.6) 9\nmain (a/b.py:1);epoll_wait (libc.so.6) 9\n"

    assert stacks.from_py_spy(text) == {("main (a/b.py)", "<listcomp> (a/c.py)"): 7}


def node(number: int, name: str, url: str = "", *children: int) -> Mapping[str, object]:
    return {"id": number, "callFrame": {"functionName": name, "url": url}, "children": list(children)}


def test_reads_v8s_profile_without_idleness_and_without_the_profiler() -> None:
    nodes = [node(1, "(root)", "", 2, 3, 5), node(2, "(idle)"), node(3, "", f"file://{ROOT}/x/app.mjs", 4)]
    nodes += [node(4, "writev"), node(5, "stop", "file:///x/node_profile.mjs", 6), node(6, "dispatch")]

    found = stacks.from_v8({"nodes": nodes, "samples": [2, 2, 4, 6, 4, 3]})

    assert found == {("(anonymous) (x/app.mjs)", "writev"): 2, ("(anonymous) (x/app.mjs)",): 1}


PERF = """
\tffffffff81e40493 skb_release_head_state
\tffffffff821ed511 do_syscall_64
\t          10a974 __libc_recv

\t          1aa33e _PyTrash_cond
\t    7fbf6885ea00 [unknown]

\tffffffff81e40493 send_sigprof
\tffffffff81e40493 get_signal
"""


def test_reads_the_kernels_part_of_perfs_samples_without_the_signals_of_a_profiler() -> None:
    assert stacks.from_perf(PERF) == {("do_syscall_64 [k]", "skb_release_head_state [k]"): 1, (): 1}
    assert stacks.from_perf("") == {}


@pytest.mark.parametrize(
    ("stack", "part"),
    [
        ("[C2 CompilerThre];Compile::Compile", "compiler"),
        ("[GC Thread];GCTaskThread", "collector and Java's own threads"),
        (
            "dev.handoff.loop.EventLoop.turn;sun.nio.ch.SocketChannelImpl.write;tcp_sendmsg [k]",
            "writing to clients (TCP)",
        ),
        ("sun.nio.ch.SelectorImpl.processReadyEvents;dev.handoff.http.RequestParser.parse", "parsing the request"),
        ("dev.handoff.server.HttpServer.x;java.util.HashMap.get", "connections, exchanges"),
        ("start_thread", hot_parts.REST),
    ],
)
def test_gives_stacks_of_the_core_to_its_parts(stack: str, part: str) -> None:
    assert [each.name for each in hot_parts.of_core({tuple(stack.split(";")): 1}, {}, Used(1, 1))] == [part]


def test_divides_the_cores_time_by_its_samples() -> None:
    seen: Stacks = {("sun.nio.ch.IOUtil.write",): 1, ("sun.nio.ch.IOUtil.write", "ksys_write [k]"): 3}

    assert hot_parts.of_core(seen, {}, Used(4, 4)) == [Part("writing, but for the sockets", 2, 6)]
    assert hot_parts.divided(Used(4, 4), seen) == Used(2, 6)
    assert hot_parts.divided(Used(3, 1), {("main",): 5}) == Used(3, 1)


def test_divides_pythons_time_by_py_spy_and_the_kernels_by_perf() -> None:
    seen: Counter[tuple[str, ...]] = Counter()
    seen["run (handoff_worker/engine/a.py)", "feed (handoff_worker/protocol/frames.py)"] = 3
    seen[("run (handoff_worker/engine/a.py)",)] = 1
    kernel: Stacks = {(): 8, ("do_syscall_64 [k]", "__x64_sys_recvfrom [k]"): 2}

    found = hot_parts.of_python(seen, kernel, Used(8, 2))

    assert found == [Part("reading frames", 6, 0), Part("engine", 2, 0), Part("reading", 0, 2)]
    assert hot_parts.of_python(seen, {}, Used(8, 2))[-1] == Part("kernel, not divided", 0, 2)


def test_takes_the_kernels_time_from_nodes_native_functions() -> None:
    seen: Stacks = {("(program)",): 4, ("a (/r/sdk-node/src/worker/worker.mjs)",): 6}

    found = hot_parts.of_node(seen, {("ksys_write [k]",): 1}, Used(7, 3))

    assert {part.name: part.micros for part in found} == pytest.approx(
        {"worker, requests": 6, "writing": 3, hot_parts.NATIVE: 1}
    )


def test_draws_frames_that_are_wide_enough_with_name_and_time() -> None:
    seen: Stacks = {("main", "a <b> (x/y.py)"): 999, ("main", "rare"): 1}

    root = ElementTree.fromstring(flame_graph.picture("title", [flame_graph.Graph("core", seen, 20.0)]))

    frames = [title.text for title in root.iter(f"{SVG}title")][1:]
    assert frames == ["main, 20.00 µs", "a <b> (x/y.py), 19.98 µs"]
    assert [rect.get("width") for rect in root.iter(f"{SVG}rect")][1:] == ["1199.6", "1198.4"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("dev.handoff.loop.EventLoop.turn", "EventLoop.turn"),
        ("finish_task_switch.isra.0 [k]", "finish_task_switch.isra.0"),
        ("feed (handoff_worker/protocol/frames.py)", "feed (frames.py)"),
        ("Compile::Compile", "Compile::Compile"),
    ],
)
def test_shortens_names(name: str, shown: str) -> None:
    assert flame_graph.short(name) == shown


def test_adds_small_parts_to_the_rest_and_says_when_the_machine_was_not_quiet() -> None:
    parts = [Part("reading", 6, 3), Part("routing", 0.1, 0), Part(hot_parts.REST, 0.9, 0)]
    seen = Seen("core", Used(7, 3), {("main",): 1}, {}, parts)
    profile = Profile(hot_paths()["core"], 1000.0, 0.5, [seen])

    assert profile_report.merged(seen) == [Part("reading", 6, 3), Part(hot_parts.REST, 1.0, 0)]
    written = profile_report.page([profile], [("commit", "c")], "it was loud")
    assert "**These figures are not steady: it was loud.**" in written
    assert "| core | reading | 9.00 | 6.00 | 3.00 | 90% |" in written
    assert "(core.svg)" in written
