"""Measures servers that are compared with each other in short turns, until their ratios are known well enough.

All servers of a group are started and warmed up, and then take turns of a second or so. Only the one under load runs:
the others are frozen, since on two cores even an idle neighbour's timers and collectors count. So what is compared lies
seconds apart, on a machine that changes from minute to minute. After some rounds all are started anew, since two starts
of the same JVM do not compile the same code.
"""

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from harness import fixed_rates
from harness.fixed_rates import SHARES, AtRate, measure_at_rate, peak
from harness.goals import Ratio, ratios
from harness.peers import Peer
from harness.rounds import Measurements, Plan, line, measure_one, warm_up
from harness.server import Server, running

ENOUGH_STARTS = 5
"""With fewer, an interval promises too much; of a single sample it has no width at all."""
RATE_SECONDS = 3.0
"""Of load at each fixed rate."""
RATE_STARTS = 3
"""So many of the first starts end with fixed rates."""


@dataclass(frozen=True)
class Patience:
    """When a group is done."""

    starts: int
    """At least."""
    minutes: float
    """At most, once there are that many starts."""
    half_width: float
    """Of the interval of each ratio that has a goal, as a share of it."""


@dataclass
class Group:
    """Servers that are compared with each other, and what was measured of them."""

    title: str
    plan: Plan
    measurements: Measurements = field(default_factory=lambda: Measurements([], {}))
    at_rates: list[AtRate] = field(default_factory=list)
    starts: int = 0
    ended: str = ""
    """Why no more was measured."""

    def ratios(self) -> list[Ratio]:
        return [ratio for shape in self.plan.shapes for ratio in ratios(self.measurements, shape.key)]


def measure(group: Group, patience: Patience, at_rates: Path | None, logs: Path, tell: Callable[[str], None]) -> None:
    """With the client for fixed rates, the first starts end with those."""
    clock = time.monotonic()
    while not group.ended:
        group.starts += 1
        with ExitStack() as stack:
            servers = [stack.enter_context(_warm(peer, group, logs)) for peer in group.plan.peers]
            _take_turns(group, servers, tell)
            if at_rates and group.starts <= RATE_STARTS:
                _ask_at_rates(group, servers, at_rates, tell)
        group.ended = reason_to_end(group.ratios(), group.starts, time.monotonic() - clock, patience)
    tell(f"{group.title}: {group.ended}")


def reason_to_end(found: Sequence[Ratio], starts: int, seconds: float, patience: Patience) -> str:
    """Empty while there is none; the next start would take as long as those before."""
    if starts < patience.starts:
        return ""
    wide = [ratio for ratio in found if ratio.half_width > patience.half_width]
    so_far = f"{starts} starts, {seconds / 60:.0f} minutes"
    if starts < ENOUGH_STARTS:
        return f"{so_far}: too few starts for intervals that hold"
    if not wide:
        return f"{so_far}; all intervals are within ± {patience.half_width:.0%}"
    if seconds + seconds / starts > patience.minutes * 60:
        return f"{so_far}, which is all it may take; {len(wide)} of {len(found)} intervals are wider than ± {patience.half_width:.0%}"
    return ""


def _take_turns(group: Group, servers: Sequence[Server], tell: Callable[[str], None]) -> None:
    """Forwards in one round and backwards in the next, so that no server always comes behind the same one."""
    plan = group.plan
    for turn in range(plan.rounds):
        number = (group.starts - 1) * plan.rounds + turn + 1
        for shape, server in itertools.product(plan.shapes, servers if turn % 2 == 0 else servers[::-1]):
            with server.thawed():
                server.check(shape)  # also lets it see that the clients of its last turn are gone
                sample = measure_one(server, shape, group.starts, number, plan)
            group.measurements.samples.append(sample)
            tell(line(sample))


def _ask_at_rates(group: Group, servers: Sequence[Server], program: Path, tell: Callable[[str], None]) -> None:
    for share, server in itertools.product(SHARES, servers):
        of_peak = peak(group.measurements, server.peer.key, group.starts)
        with server.thawed():
            server.check(group.plan.shapes[0])
            found = measure_at_rate(program, server, group.starts, share, of_peak, group.plan.connections, RATE_SECONDS)
        group.at_rates.append(found)
        tell(fixed_rates.line(found))


@contextmanager
def _warm(peer: Peer, group: Group, logs: Path) -> Iterator[Server]:
    """A server that has seen every load, frozen."""
    shape = group.plan.shapes[0]
    with running(peer, logs, shape) as server:
        group.measurements.response_heads[peer.key] = server.check(shape)
        warm_up(server, group.plan)
        server.freeze()
        try:
            yield server
        finally:
            server.thaw()
