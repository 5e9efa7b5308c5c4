"""Writes down what memory is for, and how long thousands of requests of a second take, beside the goals."""

from collections.abc import Callable, Sequence

from harness.held_kinds import KINDS
from harness.long_requests import Long
from harness.memory import BURST_CONNECTIONS, BURST_REQUESTS, IDLE_CONNECTIONS, Each, Whole
from harness.peers import Peer
from harness.report import spread_over, table
from harness.rounds import Spread
from harness.streams import Memory

MIB = 1 << 20
MOST_MIB = 100
MOST_P99_MILLIS = 1050.0
GOAL_MOMENT = f"{IDLE_CONNECTIONS:,} idle connections"
MOMENTS: dict[str, Callable[[Whole], Memory]] = {
    "start": lambda whole: whole.start,
    GOAL_MOMENT: lambda whole: whole.idle,
    f"{BURST_REQUESTS:,} requests over {BURST_CONNECTIONS} connections later": lambda whole: whole.burst,
    f"then {GOAL_MOMENT} again": lambda whole: whole.idle_again,
}


def each(found: Sequence[Each]) -> str:
    head = ["one more", "live heap of the core", "resident, core", "resident, worker", "descriptors"]
    rows = []
    for key, kind in KINDS.items():
        of = [one for one in found if one.kind == key]
        if of:
            figures = [
                spread_over([one.heap_bytes for one in of], ",.0f"),
                spread_over([one.core_bytes for one in of], ",.0f"),
                spread_over([one.worker_bytes for one in of], ",.0f"),
                spread_over([one.descriptors for one in of], ".2f"),
            ]
            rows.append([kind.title, *figures])
    return f"## What one more of each costs, in bytes\n\n{table(head, rows)}"


def whole(peers: Sequence[Peer], found: Sequence[Whole]) -> str:
    head = ["worker, heap", "after", "core", "worker", "both", f"core: at most {MOST_MIB}", f"both: at most {MOST_MIB}"]
    rows = []
    for peer in peers:
        of = [one for one in found if one.peer == peer.key]
        for moment, memory_at in MOMENTS.items():
            core = [memory_at(one).first / MIB for one in of]
            worker = [memory_at(one).others / MIB for one in of]
            both = [one + other for one, other in zip(core, worker, strict=True)]
            goal = GOAL_MOMENT in moment
            verdicts = [reached(Spread.over(some).median <= MOST_MIB) if goal else "" for some in (core, both)]
            rows.append([peer.title, moment, *(spread_over(some, ".0f") for some in (core, worker, both)), *verdicts])
    return f"## Resident memory of a server with one worker, in MiB\n\n{table(head, rows)}"


def long(peers: Sequence[Peer], found: Sequence[Long], connections: int) -> str:
    goal = f"p99 at most {MOST_P99_MILLIS:,.0f}"
    head = ["worker", "requests sent", "p50 ms", "p99 ms", "most ms", "failures", goal]
    rows = []
    for peer in peers:
        for sent in dict.fromkeys(one.spread for one in found):
            of = [one.figures for one in found if (one.peer, one.spread) == (peer.key, sent)]
            p99 = [one.p99 / 1000 for one in of]
            failures = [one.errors for one in of]
            rows.append(
                [
                    peer.title,
                    sent,
                    spread_over([one.p50 / 1000 for one in of], ",.0f"),
                    spread_over(p99, ",.0f"),
                    spread_over([one.most / 1000 for one in of], ",.0f"),
                    spread_over(failures, ",.0f"),
                    reached(Spread.over(p99).median <= MOST_P99_MILLIS and not any(failures)),
                ]
            )
    return f"## {connections:,} connections, each with a request that takes 1 s\n\n{table(head, rows)}"


def reached(goal: bool) -> str:
    return "yes" if goal else "**no**"
