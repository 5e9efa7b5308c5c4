"""Names with one or more values each: a query, or the fields of a form."""

from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import parse_qsl

MOST_PARAMETERS = 1000


class Parameters(Mapping[str, str]):
    """A mapping that gives the first value of a name. `all` gives each."""

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._pairs = list(pairs)
        self._first: dict[str, str] = {}
        for name, value in self._pairs:
            self._first.setdefault(name, value)

    @classmethod
    def parse(cls, text: str) -> "Parameters":
        """
        Reads `a=1&b=2`: percent-encoded UTF-8, with `+` for a blank (WHATWG URL, application/x-www-form-urlencoded).

        Raises `ValueError` if there are more than 1,000 parameters.
        """
        if not text:
            return cls()
        return cls(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_PARAMETERS))

    def __getitem__(self, name: str) -> str:
        return self._first[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._first)

    def __len__(self) -> int:
        return len(self._first)

    def all(self, name: str) -> list[str]:
        """Every value of this name, in the client's order; empty where there is none."""
        return [value for each, value in self._pairs if each == name]

    def pairs(self) -> list[tuple[str, str]]:
        """Every name with its value, in the client's order."""
        return list(self._pairs)

    def __repr__(self) -> str:
        return f"Parameters({self._pairs})"
