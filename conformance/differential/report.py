"""The result of a run as text."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TypeVar

from differential.fixtures import escape
from differential.outcomes import Outcome
from differential.reasons import CLOSES, OUR_RULES
from differential.run import Class, Members, Result
from differential.traces import Trace
from differential.verdicts import Kind

Key = TypeVar("Key", bound=Hashable)
Found = list[tuple[Class, Members]]

MOST_BYTES_SHOWN = 400
EXAMPLES_SHOWN = 2
MOST_BYTES_IN_TABLES = 110

# Between these lines a document has the tables of a run.
BEGIN = "<!-- written by make differential: begin -->\n"
END = "<!-- end -->\n"


def kinds(result: Result) -> str:
    """How often each kind of verdict was reached, by peer."""
    counts = _counts(result.classes.items(), lambda one: one.verdict.kind.value)
    return _by_peer("", [kind.value for kind in Kind], counts, result.peers)


def document(result: Result) -> str:
    """What a document tells of a run: its facts, and the tables of all differences."""
    sections = {
        "Verdicts": kinds(result),
        "Ours stricter": _our_rules(result),
        "Peer stricter, different end": _explained(result),
        "Who closes": _closing(result),
        "Different ends among the peers": _among_peers(result),
    }
    return "\n".join([_facts(result), *(f"### {title}\n\n{table}" for title, table in sections.items())])


def write(result: Result, file: Path) -> None:
    """Writes the document, or replaces what stands between the marks of an existing one."""
    text = document(result)
    if file.exists():
        before, begin, rest = file.read_text(encoding="utf-8").partition(BEGIN)
        _, end, after = rest.partition(END)
        if end:
            text = f"{before}{begin}\n{text}{end}{after}"
    file.write_text(text, encoding="utf-8")


def unexplained(result: Result) -> str:
    return "".join(_shown(one, result.classes[one]) for one in result.unexplained)


def case(result: Result) -> str:
    members = next(iter(result.classes.values()))
    return "\n".join(_outcome(members.examples[0], most_bytes=1 << 20)) + "\n"


def _facts(result: Result) -> str:
    rows = [
        ["date", f"{datetime.now(timezone.utc):%Y-%m-%d}"],
        ["cases", f"{result.cases}, of which {result.fixtures} are fixtures as they are"],
        ["seed", str(result.plan.seed)],
        *([server.key, server.versions] for server in result.servers),
    ]
    return _table(["", ""], rows)


def _our_rules(result: Result) -> str:
    """How often each of our rules refused what a peer accepts."""
    found = _of_kinds(result, Kind.OURS_STRICTER)
    counts = _counts(found, lambda one: one.verdict.reason)
    examples = _examples(found, lambda one: one.verdict.reason)
    rows = [
        [
            f"`{rule}`",
            *(str(counts[rule, peer]) for peer in result.peers),
            OUR_RULES.get(rule, ""),
            _cell(examples[rule]),
        ]
        for rule in sorted(examples)
    ]
    return _table(["rule", *result.peers, "why", "for example"], rows)


def _explained(result: Result) -> str:
    found = [(one, members) for one, members in result.classes.items() if one.known]
    return _by_text(found, lambda one: one.known.why if one.known else "")


def _closing(result: Result) -> str:
    return _by_text(
        _of_kinds(result, Kind.OURS_CLOSES, Kind.PEER_CLOSES), lambda one: CLOSES[one.peer, one.verdict.kind]
    )


def _by_text(found: Found, text_of: Callable[[Class], str]) -> str:
    """A row for each peer, kind and text."""

    def key(one: Class) -> tuple[str, str, str]:
        return one.peer, one.verdict.kind.value, text_of(one)

    examples = _examples(found, key)
    counts = Counter[tuple[str, str, str]]()
    for one, members in found:
        counts[key(one)] += members.count
    rows = [[*row, str(counts[row]), _cell(examples[row])] for row in sorted(examples)]
    return _table(["peer", "kind", "why", "cases", "for example"], rows)


def _among_peers(result: Result) -> str:
    rows = [
        [one, other, str(members.count), _cell(members.examples[0])]
        for (one, other), members in sorted(result.among_peers.items())
    ]
    return _table(["peer", "peer", "cases", "for example"], rows)


def _of_kinds(result: Result, *wanted: Kind) -> Found:
    return [(one, members) for one, members in result.classes.items() if one.verdict.kind in wanted]


def _examples(found: Found, key_of: Callable[[Class], Key]) -> dict[Key, Outcome]:
    """The shortest of each."""
    examples: dict[Key, Outcome] = {}
    for one, members in found:
        outcomes = [*members.examples, *filter(None, [examples.get(key_of(one))])]
        examples[key_of(one)] = min(outcomes, key=lambda outcome: len(outcome.case.data))
    return examples


def _cell(outcome: Outcome) -> str:
    data = outcome.case.data
    text = escape(data[:MOST_BYTES_IN_TABLES]).replace("|", "\\x7c").replace("`", "\\x60")
    return f"`{text}{'...' if len(data) > MOST_BYTES_IN_TABLES else ''}`"


def _counts(classes: Iterable[tuple[Class, Members]], row_of: Callable[[Class], str]) -> Counter[tuple[str, str]]:
    counts = Counter[tuple[str, str]]()
    for one, members in classes:
        counts[row_of(one), one.peer] += members.count
    return counts


def _by_peer(title: str, rows: Sequence[str], counts: Counter[tuple[str, str]], peers: Sequence[str]) -> str:
    return _table([title, *peers], [[row, *(str(counts[row, peer]) for peer in peers)] for row in rows])


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _shown(one: Class, members: Members) -> str:
    lines = [f"UNEXPLAINED {one.verdict.kind.value}, {one.peer}: {one.verdict.reason} ({members.count} cases)"]
    for outcome in members.examples[:EXAMPLES_SHOWN]:
        lines += [f"    {line}" for line in _outcome(outcome, MOST_BYTES_SHOWN)]
    return "\n".join(lines) + "\n"


def _outcome(outcome: Outcome, most_bytes: int) -> list[str]:
    case = outcome.case
    data = escape(case.data[:most_bytes]) + ("..." if len(case.data) > most_bytes else "")
    traces = [f"    {server}: {_trace(trace)}" for server, trace in outcome.traces.items()]
    return [f"case {case.number}: {case.origin}", f"    {data}", *traces]


def _trace(trace: Trace) -> str:
    seen = [f"{one.method} {one.target[:60]} {one.body[:60] or '-'}" for one in trace.messages]
    if trace.refusal:
        seen.append(f"refused {trace.refusal.status} {trace.refusal.reason}")
    elif trace.announced_close:
        seen.append("closed")
    return " | ".join(seen) or "nothing"
