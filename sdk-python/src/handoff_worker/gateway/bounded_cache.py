"""Functions of a text that clients choose, whose values are worth keeping: bounded in number and in length."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

Value = TypeVar("Value")

MOST_CHARACTERS = 128
"""Of a text that is kept. A head has tens of thousands, and a worker lives long."""


def remembered(most: int) -> Callable[[Callable[[str], Value]], Callable[[str], Value]]:
    """Keeps the values of the last `most` texts, the long ones apart."""

    def decorate(function: Callable[[str], Value]) -> Callable[[str], Value]:
        kept = lru_cache(maxsize=most)(function)

        @wraps(function)
        def value_of(text: str) -> Value:
            return kept(text) if len(text) <= MOST_CHARACTERS else function(text)

        return value_of

    return decorate
