"""How sure a figure is that was measured several times after each of several starts."""

import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

DRAWS = 2000
SEED = 22
"""The same samples give the same interval, on any machine."""
SURE = 0.95


@dataclass(frozen=True)
class Interval:
    median: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """As a share of the median: 0.03 for what one would write as ± 3 %."""
        return (self.high - self.low) / 2 / self.median


def bootstrap(starts: Sequence[Sequence[float]], draws: int = DRAWS, seed: int = SEED) -> Interval:
    """The median of all, and between which values it lies in 95 of 100 repetitions of the whole measurement.

    A repetition is imitated by drawing starts, and from each of them samples, as many as there are and with
    replacement. To draw from all samples alike would promise too much: what two starts of a server differ in,
    such as what its compiler made of it, is the same for all samples of a start.
    """
    chance = random.Random(seed)
    medians = sorted(_redrawn(starts, chance) for _ in range(draws))
    tail = round(draws * (1 - SURE) / 2)
    return Interval(_median(starts), medians[tail], medians[draws - 1 - tail])


def _redrawn(starts: Sequence[Sequence[float]], chance: random.Random) -> float:
    return _median([chance.choices(samples, k=len(samples)) for samples in chance.choices(starts, k=len(starts))])


def _median(starts: Sequence[Sequence[float]]) -> float:
    return statistics.median([value for samples in starts for value in samples])
