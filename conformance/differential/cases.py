"""The cases of a run: every fixture as it is, then as many mutants as asked for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from differential import mutations
from differential.fixtures import Fixture

MOST_MUTATIONS = 4
# A marker shows whether all agree where the message before it ends; without one, what they do at the end of the input shows.
MARKER_SHARE = 0.75
# One read of every peer, and its answers, fit into what the system buffers for a connection.
MOST_CASE_BYTES = 48 * 1024


@dataclass(frozen=True)
class Case:
    number: int
    origin: str
    data: bytes


def generate(corpus: Sequence[Fixture], count: int, seed: int) -> Iterator[Case]:
    """The first cases are the fixtures; of each of the others, number and seed alone decide what it is."""
    usable = [fixture for fixture in corpus if 0 < len(fixture.data) <= MOST_CASE_BYTES]
    for number, fixture in enumerate(usable):
        yield Case(number, fixture.name, fixture.data)
    for number in range(len(usable), count):
        yield _mutant(number, usable, Random(f"{seed}:{number}"))


def _mutant(number: int, corpus: Sequence[Fixture], random: Random) -> Case:
    fixture = random.choice(corpus)
    others = [other.data for other in corpus]
    data, applied = fixture.data, []
    for _ in range(random.randint(1, MOST_MUTATIONS)):
        mutation = random.choice(mutations.ALL)
        mutated = mutation(random, data, others)
        if 0 < len(mutated) <= MOST_CASE_BYTES:
            data = mutated
            applied.append(mutation.__name__)
    if random.random() < MARKER_SHARE:
        data += b"GET /next-%d HTTP/1.1\r\nHost: a\r\n\r\n" % number
        applied.append("marker")
    return Case(number, f"{fixture.name} + {', '.join(applied)}", data)
