"""Imagines Handoff on more cores than there are: clients' loops, the loops of one pool, its workers, all of them threads on cores.

Each thread works in turns, as the real ones do: it takes all that has come, works, and its output leaves at the end of the turn. So
batches grow with the load by themselves, and a read or a write costs less for each request the more requests it carries.
"""

import heapq
import math
import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count

WINDOW_MICROS = 10_000
LEAST_WINDOW, MOST_WINDOW = 2, 64
"""A Python worker takes as many requests at once as it handles in 10 ms, within these (decision 10)."""

CONNECTIONS_PER_WORKER = 16

SLICE_MICROS = 250
"""A worker that has a core gives it to a loop that is ready after this time at most."""


PARTS = ("clients' loops", "pool's loop", "workers", "cores")


@dataclass(frozen=True)
class Costs:
    """Microseconds of processor time."""

    client: float
    """On the client's loop for a request: read, parsed, encoded for the worker, answered, written."""
    pool: float
    """On the pool's loop for a request: a worker is chosen, the frame is written into a buffer, that of the answer is decoded."""
    call: float
    """On the pool's loop for each read from a worker's socket, and each write to one."""
    hop: float
    """For a request that crosses to the pool's loop and back: half of it on either loop."""
    wake: float
    """For each time that a loop sleeps and is woken: on the loop that wakes another, and again on the one that wakes up."""
    worker: float
    """In the worker for a request, its handler included."""
    batch: float
    """In the worker for each read with the write that answers it."""


@dataclass(frozen=True)
class Shape:
    """What is imagined."""

    cores: int
    workers: int
    loops: int = 0
    """0: as many as Handoff has by itself."""
    pool_loops: int = 1
    """On how many of the loops, the last ones, the pool lives."""
    connections: int = 0
    """Clients that ask, wait for the answer, and ask again at once. 0: 16 for each worker."""
    weighed: bool = False
    """Whether a newcomer goes to the loop with the least work, what the pool makes included; else to the one with the fewest
    connections, as it is today."""
    slow_part: float = 0
    """The part of the requests that take a worker a hundred times as long."""

    def loop_count(self) -> int:
        return self.loops or default_loops(self.cores)

    def pool_loop_count(self) -> int:
        """No more than it has workers."""
        return min(self.pool_loops, self.loop_count(), self.workers)


@dataclass(frozen=True)
class Outcome:
    per_second: float
    p50_micros: float
    p99_micros: float
    busy: dict[str, float]
    """The busy share of each part: of several threads, that of the busiest."""

    def bound(self) -> str:
        """The part that is saturated. Where none is, the clients do not ask more."""
        part = max(self.busy, key=lambda name: self.busy[name])
        return part if self.busy[part] > 0.95 else "clients"


def default_loops(cores: int) -> int:
    """As EventLoops.defaultCount of the core."""
    return max(1, cores // 2)


def window(costs: Costs) -> int:
    """The window that a Python worker asks for."""
    fitting = WINDOW_MICROS / costs.worker
    size = LEAST_WINDOW
    while size * 2 <= min(fitting, MOST_WINDOW):
        size *= 2
    return size


def placement(costs: Costs, shape: Shape) -> list[int]:
    """How many connections come to live on each loop; the pool lives on the last ones."""
    loops, pool_loops = shape.loop_count(), shape.pool_loop_count()
    connections = shape.connections or CONNECTIONS_PER_WORKER * shape.workers
    # What the pool makes of work on each of its loops, in connections.
    handicap = costs.pool / costs.client * connections / pool_loops if shape.weighed else 0
    load = [0.0] * (loops - pool_loops) + [handicap] * pool_loops
    placed = [0] * loops
    for _ in range(connections):
        least = min(range(loops), key=lambda loop: load[loop])
        load[least] += 1
        placed[least] += 1
    return placed


def bounds(costs: Costs, shape: Shape, per_call: float) -> dict[str, float]:
    """Requests per second at which each part would end if all others were free.

    `per_call` is how many requests a read or a write of a worker's socket carries.
    """
    pool_loops = shape.pool_loop_count()
    placed = placement(costs, shape)
    shares = [connections / sum(placed) for connections in placed]
    # Where the pool is on several loops, most requests stay on their own.
    crossing = 1 - shares[-1] if pool_loops == 1 else sum(shares[:-pool_loops])
    pool = costs.pool + 2 * costs.call / per_call
    hop = crossing * costs.hop
    worker = costs.worker + costs.batch / window(costs)
    of_pool = (pool + hop / 2) / pool_loops + costs.client * shares[-1]
    of_clients = (costs.client + costs.hop / 2) * max(shares[:-pool_loops], default=0)
    return {
        "clients' loops": 1e6 / of_clients if of_clients else math.inf,
        "pool's loop": 1e6 / of_pool,
        "workers": 1e6 * shape.workers / worker,
        "cores": 1e6 * shape.cores / (costs.client + hop + pool + worker),
    }


def simulate(costs: Costs, shape: Shape, answers: int = 20_000, seed: int = 1) -> Outcome:
    """Plays until so many requests are answered; a fifth more go before, and are not in the figures."""
    return _World(costs, shape, random.Random(seed)).play(answers)


@dataclass(eq=False)
class _Request:
    """And the client that makes it, again and again."""

    loop: "_Loop"
    asked: float = 0


@dataclass(eq=False)
class _Thread:
    """Asleep, ready or running. What comes meanwhile waits in its inbox."""

    world: "_World"
    inbox: deque[tuple[str, object]] = field(default_factory=deque)
    is_asleep: bool = True
    busy: float = 0
    urgent = True

    def run(self) -> float:
        """Takes a turn that begins now, and returns how long it lasts."""
        raise NotImplementedError

    def has_work(self) -> bool:
        return bool(self.inbox)

    def take(self, kind: str, what: object) -> None:
        self.inbox.append((kind, what))
        if self.is_asleep:
            self.is_asleep = False
            self.world.ready(self)


class _Worker(_Thread):
    urgent = False

    def __init__(self, world: "_World", loop: "_Loop") -> None:
        super().__init__(world)
        self.loop = loop
        self.room = window(world.costs)
        self.batch: list[_Request] = []
        self.left: float = 0

    def has_work(self) -> bool:
        return self.left > 0 or bool(self.inbox)

    def run(self) -> float:
        if self.left <= 0:
            while self.inbox:
                _, requests = self.inbox.popleft()
                assert isinstance(requests, list)
                self.batch += requests
            self.left = self.world.costs.batch + sum(self.world.handling() for _ in self.batch)
        lasts = min(self.left, SLICE_MICROS)
        self.left -= lasts
        if self.left <= 0:
            batch, self.batch = self.batch, []
            self.world.after(lasts, lambda: self.loop.take("answers", (self, batch)))
        return lasts


class _Loop(_Thread):
    def __init__(self, world: "_World") -> None:
        super().__init__(world)
        self.workers: list[_Worker] = []
        self.queue: deque[_Request] = deque()
        self.held = 0
        self.slept = True
        self.turn = 0

    def run(self) -> float:
        costs, world = self.world.costs, self.world
        spent = costs.wake if self.slept else 0.0
        replies: list[_Request] = []
        frames: dict[_Worker, list[_Request]] = {}
        for _ in range(len(self.inbox)):
            kind, what = self.inbox.popleft()
            if kind == "answers":
                assert isinstance(what, tuple)
                worker, requests = what
                worker.room += len(requests)
                self.held -= len(requests)
                spent += costs.call + len(requests) * costs.pool / 2
                for request in requests:
                    if request.loop is self:
                        spent += costs.client / 2
                        replies.append(request)
                    else:
                        spent = self.cross(request.loop, "reply", request, spent)
                continue
            assert isinstance(what, _Request)
            if kind == "reply":
                spent += costs.hop / 4 + costs.client / 2
                replies.append(what)
            elif kind == "ask":
                spent += costs.client / 2
                pool = world.pool_loop(self)
                pool.held += 1
                if pool is self:
                    self.queue.append(what)
                else:
                    spent = self.cross(pool, "handed", what, spent)
            else:
                spent += costs.hop / 4
                self.queue.append(what)
        spent += self.dispatch(frames) * costs.pool / 2 + len(frames) * costs.call
        world.after(spent, lambda: self.flush(frames, replies))
        return spent

    def cross(self, other: "_Loop", kind: str, request: _Request, spent: float) -> float:
        """Gives the request to another loop in the middle of the turn. Returns what has been spent then."""
        spent += self.world.costs.hop / 4 + (self.world.costs.wake if other.is_asleep else 0)
        if other.is_asleep:
            other.is_asleep = False  # so that others do not wake it, too
            self.world.after(spent, lambda: self.world.woken(other, kind, request))
        else:
            self.world.after(spent, lambda: other.take(kind, request))
        return spent

    def dispatch(self, frames: dict[_Worker, list[_Request]]) -> int:
        """Gives requests to the workers with the most room, and returns how many."""
        given = 0
        while self.queue:
            order = (self.workers[(self.turn + i) % len(self.workers)] for i in range(len(self.workers)))
            worker = max(order, key=lambda each: each.room)
            if worker.room == 0:
                break
            self.turn += 1
            worker.room -= 1
            frames.setdefault(worker, []).append(self.queue.popleft())
            given += 1
        return given

    def flush(self, frames: dict[_Worker, list[_Request]], replies: list[_Request]) -> None:
        for worker, requests in frames.items():
            worker.take("frames", requests)
        for request in replies:
            self.world.answered(request)


class _World:
    def __init__(self, costs: Costs, shape: Shape, chance: random.Random) -> None:
        self.costs = costs
        self.chance = chance
        self.shape = shape
        self.now = 0.0
        self.events: list[tuple[float, int, Callable[[], None]]] = []
        self.numbers: Iterator[int] = count()
        self.free = shape.cores
        self.waiting: dict[bool, deque[_Thread]] = {True: deque(), False: deque()}
        self.loops = [_Loop(self) for _ in range(shape.loop_count())]
        self.pool = self.loops[-shape.pool_loop_count() :]
        self.workers = [_Worker(self, self.pool[i % len(self.pool)]) for i in range(shape.workers)]
        for worker in self.workers:
            worker.loop.workers.append(worker)
        self.latencies: list[float] = []

    def play(self, answers: int) -> Outcome:
        shape = self.shape
        for loop, connections in zip(self.loops, placement(self.costs, shape), strict=True):
            for _ in range(connections):
                self.after(self.chance.uniform(0, 1000), partial(self.ask, _Request(loop)))
        self.go_on(answers // 5)
        self.latencies.clear()
        began = self.now
        before = {thread: thread.busy for thread in (*self.loops, *self.workers)}
        self.go_on(answers)
        lasted = self.now - began
        shares = {thread: (thread.busy - before[thread]) / lasted for thread in before}
        others = [shares[loop] for loop in self.loops if loop not in self.pool]
        busy = {
            "clients' loops": max(others, default=0.0),
            "pool's loop": max(shares[loop] for loop in self.pool),
            "workers": sum(shares[worker] for worker in self.workers) / len(self.workers),
            "cores": sum(shares.values()) / shape.cores,
        }
        ordered = sorted(self.latencies)
        p50, p99 = (ordered[int(len(ordered) * part)] for part in (0.5, 0.99))
        return Outcome(len(ordered) * 1e6 / lasted, p50, p99, busy)

    def go_on(self, answers: int) -> None:
        goal = len(self.latencies) + answers
        while len(self.latencies) < goal:
            self.now, _, action = heapq.heappop(self.events)
            action()

    def after(self, micros: float, action: Callable[[], None]) -> None:
        heapq.heappush(self.events, (self.now + micros, next(self.numbers), action))

    def handling(self) -> float:
        """Half of it is always needed, and the rest as chance has it."""
        micros = self.costs.worker / 2 + self.chance.expovariate(2 / self.costs.worker)
        return micros * 100 if self.chance.random() < self.shape.slow_part else micros

    def ask(self, request: _Request) -> None:
        request.asked = self.now
        request.loop.take("ask", request)

    def answered(self, request: _Request) -> None:
        self.latencies.append(self.now - request.asked)
        self.ask(request)

    def pool_loop(self, near: _Loop) -> _Loop:
        """The client's own loop where the pool lives there and is not fuller than elsewhere, else the emptiest."""
        least = min(self.pool, key=lambda loop: loop.held / len(loop.workers))
        if near.workers and near.held / len(near.workers) <= least.held / len(least.workers) + 1:
            return near
        return least

    def woken(self, loop: _Loop, kind: str, request: _Request) -> None:
        loop.inbox.append((kind, request))
        self.ready(loop)

    def ready(self, thread: _Thread) -> None:
        if isinstance(thread, _Loop):
            thread.slept = True
        self.waiting[thread.urgent].append(thread)
        self.fill_cores()

    def fill_cores(self) -> None:
        while self.free and (self.waiting[True] or self.waiting[False]):
            thread = (self.waiting[True] or self.waiting[False]).popleft()
            self.free -= 1
            lasts = thread.run()
            self.after(lasts, partial(self.turn_over, thread, lasts))

    def turn_over(self, thread: _Thread, lasted: float) -> None:
        thread.busy += lasted
        self.free += 1
        if isinstance(thread, _Loop):
            thread.slept = False
        if thread.has_work():
            self.waiting[thread.urgent].append(thread)
        else:
            thread.is_asleep = True
        self.fill_cores()
