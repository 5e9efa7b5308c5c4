"""Runs the cases through all servers."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from differential import client, traces
from differential.cases import Case
from differential.servers import AWAITED, OURS, SILENT
from differential.traces import BadAnswer, Trace
from differential.verdicts import Kind, Verdict, compare

CONNECTIONS = 8
"""Cases under way at once, each on one connection to one server after the other."""

# Not what our parser says of the bytes: the worker, or the way to it, is ill.
OUR_FAULTS = (500, 502, 503, 504)

NUMBER = Verdict(Kind.DIFFERENT_END, "number")


@dataclass(frozen=True)
class Outcome:
    case: Case
    traces: dict[str, Trace]
    verdicts: dict[str, Verdict]
    """By peer."""


def outcomes(cases: Iterable[Case], ports: dict[str, int]) -> Iterator[Outcome]:
    """In the order of the cases."""
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        yield from pool.map(lambda case: _outcome(case, ports), cases)


def _outcome(case: Case, ports: dict[str, int]) -> Outcome:
    seen = {server: _trace(case, server, port) for server, port in ports.items()}
    verdicts = {server: _verdict(case, seen, server, ports) for server in ports if server != OURS}
    return Outcome(case, seen, verdicts)


def _verdict(case: Case, seen: dict[str, Trace], peer: str, ports: dict[str, int]) -> Verdict:
    """Looks a second time where the client's end, which both servers were told, may have blurred what was seen."""
    silent = peer in SILENT
    verdict = compare(seen[OURS], seen[peer], silent)
    fewer = peer if len(seen[peer].messages) < len(seen[OURS].messages) else OURS
    if verdict.kind in (Kind.OURS_CLOSES, Kind.PEER_CLOSES) or (verdict == NUMBER and fewer == peer):
        seen[fewer] = _looked_again(case, seen[fewer], ports[fewer])
    return compare(seen[OURS], seen[peer], silent)


def _looked_again(case: Case, trace: Trace, port: int) -> Trace:
    """
    What is seen if the client does not end its output. A server that then closes has read enough: it refuses, or its last message
    says that it closes, announced or not. One that does not took what followed for the beginning of a message.
    """
    second = _without_end(case, port)
    if second is None:
        return replace(trace, announced_close=False)
    closes = second.messages == trace.messages and not second.refusal
    return replace(second, announced_close=closes)


def _without_end(case: Case, port: int) -> Trace | None:
    """What is seen if the client does not end its output; None if the server then waits for more."""
    try:
        return traces.read(client.exchange(port, case.data, ends=False))
    except client.NoEnd:
        return None


def _trace(case: Case, server: str, port: int) -> Trace:
    try:
        trace = traces.read(client.exchange(port, case.data))
    except (BadAnswer, client.NoEnd, OSError) as problem:
        raise BadAnswer(f"case {case.number}, {server}: {problem}\n{case.data!r}") from problem
    if not trace.refusal:
        return trace
    if server == OURS and trace.refusal.status in OUR_FAULTS:
        raise BadAnswer(f"case {case.number}: {trace.refusal}")
    awaited = AWAITED.get(server)
    if awaited and awaited.search(trace.refusal.reason):
        return replace(trace, refusal=None)
    return trace
