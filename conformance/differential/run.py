"""One run: starts the servers, sends them the cases, and counts how the peers' traces differ from ours."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import combinations

from differential import fixtures, servers
from differential.cases import Case, generate
from differential.known import Known, explanation, needs_explanation
from differential.outcomes import Outcome, outcomes
from differential.processes import running
from differential.servers import OURS, PEERS, SILENT, Server, Unavailable
from differential.verdicts import Kind, Verdict, compare

EXAMPLES_KEPT = 5


@dataclass(frozen=True)
class Plan:
    cases: int
    seed: int
    peers: Sequence[str]
    only: int | None = None
    """The number of a case to run alone."""


@dataclass(frozen=True)
class Class:
    """What cases have in common that are one difference."""

    peer: str
    verdict: Verdict
    known: Known | None

    @property
    def is_unexplained(self) -> bool:
        return self.known is None and needs_explanation(self.verdict.kind)


@dataclass
class Members:
    """The cases of a class."""

    count: int = 0
    examples: list[Outcome] = field(default_factory=list)
    """The shortest."""

    def add(self, outcome: Outcome) -> None:
        self.count += 1
        self.examples = sorted([*self.examples, outcome], key=lambda one: len(one.case.data))[:EXAMPLES_KEPT]


@dataclass
class Result:
    plan: Plan
    servers: list[Server]
    fixtures: int
    cases: int = 0
    classes: dict[Class, Members] = field(default_factory=lambda: defaultdict(Members))
    among_peers: dict[tuple[str, str], Members] = field(default_factory=lambda: defaultdict(Members))
    """Where two peers see different ends: what the cases can find."""

    @property
    def peers(self) -> list[str]:
        return [server.key for server in self.servers if server.key != OURS]

    @property
    def unexplained(self) -> list[Class]:
        return [one for one in self.classes if one.is_unexplained]

    def take(self, outcome: Outcome) -> None:
        self.cases += 1
        for peer, verdict in outcome.verdicts.items():
            self.classes[Class(peer, verdict, explanation(peer, outcome))].add(outcome)
        for one, other in combinations([peer for peer in self.peers if peer not in SILENT], 2):
            if compare(outcome.traces[one], outcome.traces[other]).kind is Kind.DIFFERENT_END:
                self.among_peers[one, other].add(outcome)


def run(plan: Plan, tell: Callable[[str], None]) -> Result:
    corpus = fixtures.read()
    cases: Sequence[Case] = list(generate(corpus, plan.cases, plan.seed))
    if plan.only is not None:
        cases = [case for case in cases if case.number == plan.only]
    with ExitStack() as stack:
        available = [servers.handoff(), *_available(plan.peers, tell)]
        ports = {server.key: stack.enter_context(running(server)) for server in available}
        result = Result(plan, available, len(corpus))
        for outcome in outcomes(cases, ports):
            result.take(outcome)
    return result


def _available(keys: Sequence[str], tell: Callable[[str], None]) -> list[Server]:
    found = []
    for key in keys:
        try:
            found.append(PEERS[key]())
        except Unavailable as problem:
            tell(f"skipped: {key}: {problem}")
    if not found:
        raise Unavailable("no server to compare with")
    return found
