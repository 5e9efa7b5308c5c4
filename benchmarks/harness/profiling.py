"""Profiles a hot path: CPU time under load without samplers, and then what the samplers see under the same load."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

from harness import frameworks, hot_parts, machine, node_frameworks, peers, process_tree, samplers
from harness.hot_parts import Part, Used
from harness.load import run_wrk
from harness.peers import Peer
from harness.rounds import Plan, warm_up
from harness.server import Server, ServerFailed, running
from harness.shapes import SHAPES
from harness.stacks import Stacks
from harness.workspace import Workspace

SHAPE = SHAPES["hello"]
PARTS: dict[str, Callable[[Stacks, Stacks, Used], list[Part]]] = {
    "core": hot_parts.of_core,
    "Python": hot_parts.of_python,
    "Node": hot_parts.of_node,
}
SAMPLERS: dict[str, Callable[[Workspace, int], samplers.Sampler]] = {
    "core": samplers.Java,
    "Python": samplers.Python,
    "Node": samplers.Node,
}
SETTLE_SECONDS = 1
"""Of load before the samplers begin and after they end."""


@dataclass(frozen=True)
class HotPath:
    key: str
    title: str
    build: Callable[[Workspace], Peer]
    worker: str = ""
    """The language of the worker, if there is one."""


def hot_paths() -> dict[str, HotPath]:
    core = partial(peers.core, "core", "Handoff's core alone, 1 loop", "CoreHello")
    all_paths = [
        HotPath("core", "core alone", core),
        HotPath("python-plain", "core + plain Python function", peers.handoff_sdk_python, "Python"),
        HotPath("python-asgi", "core + bare ASGI", partial(frameworks.handoff, "asgi"), "Python"),
        HotPath("python-wsgi", "core + bare WSGI", partial(frameworks.handoff, "wsgi"), "Python"),
        HotPath("node-plain", "core + plain Node function", peers.handoff_sdk_node, "Node"),
        HotPath("node-http", "core + unchanged node:http", node_frameworks.node_http_handoff, "Node"),
    ]
    return {path.key: path for path in all_paths}


@dataclass(frozen=True)
class Seen:
    """One process of a path."""

    title: str
    used: Used
    stacks: Stacks
    kernel: Stacks
    """Where another sampler than that of `stacks` saw it."""
    parts: list[Part]


@dataclass(frozen=True)
class Profile:
    path: HotPath
    requests_per_second: float
    others_busy: float
    """The share of all cores that went neither to the server nor to the client, while CPU time was taken."""
    seen: list[Seen]


def profile(path: HotPath, workspace: Workspace, connections: int, warm_up_seconds: int, seconds: int) -> Profile:
    peer = path.build(workspace)
    peer = replace(peer, environment=peer.environment | samplers.environment(workspace))
    logs = workspace.folder("logs")
    with running(peer, logs, SHAPE) as server:
        warm_up(server, Plan([peer], [SHAPE], 1, seconds, warm_up_seconds, connections))
        processes = _processes(server, path)
        measured = _measure(server, processes, connections, seconds)
        sampled = _sample(server, processes, workspace, connections, seconds)
    seen = []
    for name in processes:
        stacks, kernel = sampled[name]
        used = hot_parts.divided(measured.used[name], kernel or stacks)
        title = "core" if name == "core" else f"{name} worker"
        seen.append(Seen(title, used, stacks, kernel, PARTS[name](stacks, kernel, used)))
    return Profile(path, measured.requests_per_second, measured.others_busy, seen)


@dataclass(frozen=True)
class _Measured:
    requests_per_second: float
    others_busy: float
    used: dict[str, Used]


def _processes(server: Server, path: HotPath) -> dict[str, int]:
    """The core, and of what it has started that which has worked most."""
    core, *others = process_tree.tree(server.process.pid)
    found = {"core": core}
    if path.worker:
        if not others:
            raise ServerFailed(f"{path.key} has no worker")
        found[path.worker] = max(others, key=lambda process: sum(process_tree.own_cpu_seconds(process)))
    return found


def _measure(server: Server, processes: dict[str, int], connections: int, seconds: int) -> _Measured:
    own_before, all_before = time.process_time(), machine.cpu_seconds()
    before = {name: process_tree.own_cpu_seconds(process) for name, process in processes.items()}
    tree_before = process_tree.cpu_seconds(server.process.pid)
    load = run_wrk(server.port, SHAPE, connections, seconds)
    tree = process_tree.cpu_seconds(server.process.pid) - tree_before
    everything = machine.cpu_seconds() - all_before
    used = {}
    for name, process in processes.items():
        user, kernel = (
            (now - then) * 1e6 / load.requests
            for then, now in zip(before[name], process_tree.own_cpu_seconds(process), strict=True)
        )
        used[name] = Used(user, kernel)
    others = everything - tree - load.client_cpu_seconds - (time.process_time() - own_before)
    return _Measured(load.requests / load.seconds, max(0.0, others) / load.seconds / machine.cores(), used)


def _sample(
    server: Server, processes: dict[str, int], workspace: Workspace, connections: int, seconds: int
) -> dict[str, tuple[Stacks, Stacks]]:
    own = {name: SAMPLERS[name](workspace, process) for name, process in processes.items()}
    kernels = {name: samplers.Kernel(workspace, process) for name, process in processes.items() if name != "core"}
    everyone: list[samplers.Sampler] = [*own.values(), *kernels.values()]
    with ThreadPoolExecutor(1) as loading:
        load = loading.submit(run_wrk, server.port, SHAPE, connections, seconds + 2 * SETTLE_SECONDS)
        time.sleep(SETTLE_SECONDS)
        for sampler in everyone:
            sampler.start()
        time.sleep(seconds)
        seen = {name: (own[name].stop(), kernels[name].stop() if name in kernels else {}) for name in own}
        load.result()
    return seen
