"""Caches for functions of a text that clients choose, bounded in number and in length."""

from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")

MOST_CHARACTERS = 128
"""The longest text that is kept. A head may have tens of thousands of characters, and a worker lives long."""


class BoundedCache(dict[str, Value]):
    """
    The values of a function of a text: `cache[text]` computes it where it is not known yet.

    A dictionary, since the accelerator in C asks nothing else as fast. Python asks faster by `cache.__getitem__(text)`, which needs no
    look for a method of this class. Where it is full, all is dropped. Any thread may ask.
    """

    def __init__(self, most: int, function: Callable[[str], Value]) -> None:
        """Keeps the values of `most` texts at most, and of no long one."""
        super().__init__()
        self._most = most
        self._function = function

    def __missing__(self, text: str) -> Value:
        value = self._function(text)
        if len(text) <= MOST_CHARACTERS:
            if len(self) >= self._most:
                self.clear()
            self[text] = value
        return value
