"""Caches for functions of a text that clients choose, bounded in number and in length."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

Value = TypeVar("Value")

MOST_CHARACTERS = 128
"""The longest text that is kept. A head may have tens of thousands of characters, and a worker lives long."""


def bounded_cache(most: int) -> Callable[[Callable[[str], Value]], Callable[[str], Value]]:
    """Decorates a function of a text: keeps its values for the last `most` texts, except for long ones."""

    def decorate(function: Callable[[str], Value]) -> Callable[[str], Value]:
        kept = lru_cache(maxsize=most)(function)

        @wraps(function)
        def value_of(text: str) -> Value:
            return kept(text) if len(text) <= MOST_CHARACTERS else function(text)

        return value_of

    return decorate
