"""Which part of a server a sampled stack belongs to."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from harness.stacks import KERNEL, Stacks, total

Rules = Sequence[tuple[str, str]]
"""Patterns and the part that they stand for. The innermost frame that fits one decides, and the first of those that it fits."""

REST = "the rest"

READING = "reading, but for the sockets"
WRITING = "writing, but for the sockets"

JAVA_THREADS: Rules = (
    (r"^\[C[12] Compiler", "compiler"),
    (
        r"^\[(GC|G1|VM |Common-Cleaner|Reference Handl|Finalizer|Attach Listener|Signal Dispatch|Service Thread|Monitor)",
        "collector and Java's own threads",
    ),
)
JAVA_FRAMES: Rules = (
    (r"^(MemAllocator|CollectedHeap|ParallelScavengeHeap|MutableSpace)::", "collector and Java's own threads"),
    (r"^(futex_|do_futex|__x64_sys_futex)", "waiting for and waking threads"),
    (r"^tcp_recvmsg", "reading from clients (TCP)"),
    (r"^tcp_sendmsg", "writing to clients (TCP)"),
    (r"^unix_stream_re", "reading from workers (Unix sockets)"),
    (r"^unix_stream_send", "writing to workers (Unix sockets)"),
    (r"^sun\.nio\.ch\.(SocketChannelImpl|IOUtil|\w*Dispatcher)\.\w*[rR]ead", READING),
    (r"^sun\.nio\.ch\.(SocketChannelImpl|IOUtil|\w*Dispatcher)\.\w*[wW]rite", WRITING),
    (r"^sun\.nio\.ch\.", "selecting"),
    (r"^dev\.handoff\.loop\.(OutputQueue|SpareBuffers)|^dev\.handoff\.loop\.StreamSocket\.(flush|write)", WRITING),
    (r"^dev\.handoff\.loop\.StreamSocket\.(read|onReady)", READING),
    (r"^dev\.handoff\.loop\.EventLoop\.select", "selecting"),
    (r"^dev\.handoff\.loop\.", "event loop, timers"),
    (r"^dev\.handoff\.http\.(Response|HttpDate|ReasonPhrases)", "encoding the response"),
    (
        r"^dev\.handoff\.http\.(Request|Head|Field|Parsed|BodyFraming|Content|Arriving|CharTables|Fragment|KnownNames)",
        "parsing the request",
    ),
    (
        r"^dev\.handoff\.process\.protocol\.(Request|Encoded|FrameEncoder|MessageWriter|Utf8Writer|Quoted)",
        "encoding frames",
    ),
    (r"^dev\.handoff\.process\.protocol\.", "decoding frames"),
    (r"^dev\.handoff\.process\.", "dispatch to workers"),
    (r"^dev\.handoff\.server\.(ResponseWriter|FixedResponse)", "encoding the response"),
    (r"^dev\.handoff\.server\.routing\.", "routing"),
    (r"^dev\.handoff\.server\.", "connections, exchanges"),
    (r"^dev\.handoff\.(admin|launcher)\.", "counting, logs"),
)
PYTHON_FRAMES: Rules = (
    (r"handoff_worker/protocol/frames\.py|large_exchange\.py", "reading frames"),
    (r"json_codec\.py|orjson|[(/]json/", "decoding JSON"),
    (r"handoff_worker/protocol/(response_frame|outbox|response_stream)\.py|unsent_parts\.py", "making frames"),
    (r"handoff_worker/protocol/", "exchanges"),
    (r"handoff_worker/asgi/scope\.py", "scope"),
    (r"handoff_worker/asgi/", "ASGI call, events"),
    (r"handoff_worker/wsgi/environ\.py", "environ"),
    (r"handoff_worker/wsgi/", "WSGI call, response"),
    (r"handoff_worker/plain/", "plain function's request and response"),
    (r"handoff_worker/", "engine"),
    (r"uvloop|[(/]asyncio/|_asyncio|uv__|\(loop\.c\)", "asyncio, uvloop"),
    (r"threading\.py|concurrent/futures", "threads"),
    (r"(benchmarks/peers|examples-python)/|_hello\.py", "application"),
)
NATIVE = "Node's C++ and libuv"
NODE_FRAMES: Rules = (
    (r"^\(garbage collector\)$", "collector"),
    (r"^\(program\)$|^[^(]*$", NATIVE),
    (r"sdk-node/src/protocol/(frame-reader|plain-request|request-json|core-message)", "reading frames"),
    (
        r"sdk-node/src/protocol/(frame-writer|response-json|response-stream|held-responses|channel)",
        "making frames, channel",
    ),
    (r"sdk-node/src/protocol/", "bodies, turns"),
    (r"sdk-node/src/worker/", "worker, requests"),
    (r"sdk-node/src/plain/", "plain function's request and response"),
    (r"sdk-node/src/fetch/", "Fetch's request and response"),
    (r"sdk-node/src/node/", "node:http's request and response, ours"),
    (r"node:_http|node:http", "node:http's own"),
    (r"node:internal/(streams|stream_base)|node:(net|stream)", "Node's streams and sockets"),
    (r"node:", "Node's events, buffers, ticks"),
    (r"(benchmarks/peers|examples-node)/", "application"),
)
SYSTEM_CALLS: Rules = (
    (r"sys_(recv\w*|readv?|read64|pread\w*) ", "reading"),
    (r"sys_(send\w*|writev?|pwrite\w*) ", "writing"),
    (r"sys_(epoll_\w+|p?poll|p?select\w*) ", "selecting"),
    (r"sys_futex", "waiting for and waking threads"),
)


@dataclass(frozen=True)
class Part:
    name: str
    user_micros: float
    kernel_micros: float

    @property
    def micros(self) -> float:
        return self.user_micros + self.kernel_micros


@dataclass(frozen=True)
class Used:
    """CPU time of a process for a request, as the kernel accounts for it."""

    user_micros: float
    kernel_micros: float

    @property
    def micros(self) -> float:
        return self.user_micros + self.kernel_micros


def of_core(stacks: Stacks, _: Stacks, used: Used) -> list[Part]:
    """One sampler sees user and kernel, so its shares of the whole are taken."""
    user, kernel = Counter[str](), Counter[str]()
    for stack, count in stacks.items():
        part = part_of(stack[:1], JAVA_THREADS) or part_of(stack, JAVA_FRAMES) or REST
        (kernel if stack[-1].endswith(KERNEL) else user)[part] += count
    micros = used.micros / max(1, total(stacks))
    return _parts(_times(user, micros), _times(kernel, micros))


def of_python(stacks: Stacks, kernel: Stacks, used: Used) -> list[Part]:
    """Who held the interpreter's lock computed; those samples divide the user's time, and perf's the kernel's."""
    user = Counter[str]()
    for stack, count in stacks.items():
        user[part_of(stack, PYTHON_FRAMES) or REST] += count
    return _parts(_scaled(user, used.user_micros), _kernel(kernel, used))


def of_node(stacks: Stacks, kernel: Stacks, used: Used) -> list[Part]:
    """V8 sees the kernel's time as that of native functions, so it is taken from theirs."""
    user = Counter[str]()
    for stack, count in stacks.items():
        user[part_of(stack[-1:], NODE_FRAMES) or REST] += count
    times = _scaled(user, used.micros)
    times[NATIVE] = max(0.0, times.get(NATIVE, 0.0) - used.kernel_micros)
    return _parts(_scaled(times, used.user_micros), _kernel(kernel, used))


def divided(used: Used, seen: Stacks) -> Used:
    """The same time, user and kernel as a sampler saw them: it looks oftener than the clock ticks that the kernel counts."""
    inside = sum(count for stack, count in seen.items() if stack and stack[-1].endswith(KERNEL))
    if not inside:
        return used
    kernel = used.micros * inside / total(seen)
    return Used(used.micros - kernel, kernel)


def part_of(stack: Sequence[str], rules: Rules) -> str | None:
    for frame in reversed(stack):
        for pattern, part in rules:
            if re.search(pattern, frame):
                return part
    return None


def _kernel(stacks: Stacks, used: Used) -> dict[str, float]:
    found = Counter[str]()
    for stack, count in stacks.items():
        if stack:
            found[part_of(stack, SYSTEM_CALLS) or REST] += count
    return _scaled(found, used.kernel_micros) or {"kernel, not divided": used.kernel_micros}


def _scaled(counts: dict[str, float] | Counter[str], micros: float) -> dict[str, float]:
    """So that they are as many microseconds together."""
    everything = sum(counts.values())
    return _times(counts, micros / everything) if everything else {}


def _times(counts: dict[str, float] | Counter[str], factor: float) -> dict[str, float]:
    return {part: count * factor for part, count in counts.items()}


def _parts(user: dict[str, float], kernel: dict[str, float]) -> list[Part]:
    parts = [Part(name, user.get(name, 0.0), kernel.get(name, 0.0)) for name in user | kernel]
    return sorted(parts, key=lambda part: (part.name == REST, -part.micros))
