"""Writes down what starts took."""

from collections.abc import Callable, Sequence

from harness.report import table
from harness.rounds import Spread
from harness.start_up import Start, Starter

# Whom Handoff shall not start slower than: with the same means, and with what the JDK has by itself.
COMPARED = (
    ("core", "jdk"),
    ("core-small", "jdk-small"),
    ("core-aot", "jdk-aot"),
    ("handoff-python", "jdk-aot"),
    ("handoff-python", "jdk"),
    ("handoff-node", "jdk-aot"),
    ("handoff-node", "jdk"),
    ("handoff-small", "jdk-small"),
    ("pip", "pip-small"),
    ("npm", "npm-small"),
)
GOAL = 1.0


def section(starters: Sequence[Starter], starts: Sequence[Start], facts: Sequence[tuple[str, str]]) -> str:
    """The section of RESULTS.md."""
    return "\n".join(
        [
            "# Start-up",
            "",
            "Written by `make bench-start`: from the command to the line that says where it serves, and to the first answer that is",
            "wholly there. [Decision 12](../docs/decisions/0012-start-up.md) says what was tried.",
            "",
            table(["", ""], facts),
            "",
            tables(starters, starts),
            "## What was compared",
            "",
            table(["start", "versions"], [(starter.title, starter.versions) for starter in starters]),
            "",
        ]
    )


def tables(starters: Sequence[Starter], starts: Sequence[Start]) -> str:
    header = ["start", "ready ms", "first answer ms", "CPU ms"]
    rows = [[starter.title, *_row(_of(starts, starter.key))] for starter in starters]
    return "\n\n".join([table(header, rows), _ratios(starters, starts)]) + "\n"


def _row(starts: Sequence[Start]) -> list[str]:
    answers = [start.answered_seconds for start in starts if start.answered_seconds is not None]
    return [
        _millis([start.ready_seconds for start in starts]),
        _millis(answers) if answers else "",
        _millis([start.cpu_seconds for start in starts]),
    ]


def _ratios(starters: Sequence[Starter], starts: Sequence[Start]) -> str:
    titles = {starter.key: starter.title for starter in starters}
    rows = []
    for subject, against in COMPARED:
        ready = ratio(starts, subject, against, lambda start: start.ready_seconds)
        answered = ratio(starts, subject, against, lambda start: start.answered_seconds or 0)
        reached = "yes" if ready.median <= GOAL else "**no**"
        rows.append([titles[subject], titles[against], _spread(ready, ".2f"), _spread(answered, ".2f"), reached])
    return table(["", "against", "ready", "first answer", f"ready: at most {GOAL:g}"], rows)


def ratio(starts: Sequence[Start], subject: str, against: str, figure: Callable[[Start], float]) -> Spread:
    """Within each round, because what slows down a whole round then cancels out."""
    others = {start.round: figure(start) for start in _of(starts, against)}
    return Spread.over([figure(start) / others[start.round] for start in _of(starts, subject)])


def _of(starts: Sequence[Start], key: str) -> list[Start]:
    return [start for start in starts if start.starter == key]


def _millis(seconds: Sequence[float]) -> str:
    return _spread(Spread.over([each * 1000 for each in seconds]), ".0f")


def _spread(spread: Spread, form: str) -> str:
    return f"{spread.median:{form}} ({spread.least:{form}} to {spread.most:{form}})"
