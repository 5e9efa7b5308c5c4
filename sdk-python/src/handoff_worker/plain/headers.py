"""Header fields as a mapping."""

from collections.abc import Iterator, Mapping, Sequence


class Headers(Mapping[str, str]):
    """
    The header fields of a request. A lookup takes a name in any letter case; iterating gives names in lower case.

    A value has one character for each octet that the client sent (ISO-8859-1); where it is UTF-8, decode it with
    `value.encode("latin-1").decode()`. Lines of the same name are one value, joined with `, ` (RFC 9110 section 5.2), or with `; `
    for cookies (RFC 6265 section 5.4).
    """

    def __init__(self, pairs: Sequence[Sequence[str]]) -> None:
        """`pairs`: of a name in lower case and a value."""
        self._pairs = pairs
        values: dict[str, str] = {}
        repeated: dict[str, list[str]] = {}
        for name, value in pairs:
            if name in values:
                repeated.setdefault(name, [values[name]]).append(value)
            else:
                values[name] = value
        for name, lines in repeated.items():
            values[name] = ("; " if name == "cookie" else ", ").join(lines)
        self._values = values

    def __getitem__(self, name: str) -> str:
        return self._values[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def all(self, name: str) -> list[str]:
        """The value of each line of this name, in the client's order; empty where there is none."""
        wanted = name.lower()
        return [value for each, value in self._pairs if each == wanted]

    def pairs(self) -> list[tuple[str, str]]:
        """The name in lower case and the value of every line, in the client's order."""
        return [(name, value) for name, value in self._pairs]

    def __repr__(self) -> str:
        return f"Headers({self._values})"


def parameter(value: str, name: str) -> str | None:
    """
    A parameter of a value such as `text/html; charset=utf-8` (RFC 9110 section 5.6.6), without quotes; None where it is missing.

    Raises `ValueError` where the parameter comes twice: some readers would take the first, and others the last.
    """
    wanted = name.lower()
    found = None
    for part in split_parameters(value)[1:]:
        each, equals, text = part.partition("=")
        if equals and each.strip().lower() == wanted:
            if found is not None:
                raise ValueError(f"there are two parameters {name}")
            found = text.strip()
    if found is not None and len(found) > 1 and found[0] == found[-1] == '"':
        # A quoted pair stands for its second character (RFC 9110 section 5.6.4).
        return "".join(_unescaped(found[1:-1]))
    return found


def split_parameters(value: str) -> list[str]:
    """The parts of a value between semicolons, except for semicolons inside quotes."""
    if '"' not in value:
        return [part.strip() for part in value.split(";")]
    parts, start, quoted, escaped = [], 0, False, False
    for position, character in enumerate(value):
        if escaped:
            escaped = False
        elif quoted and character == "\\":
            escaped = True
        elif character == '"':
            quoted = not quoted
        elif character == ";" and not quoted:
            parts.append(value[start:position].strip())
            start = position + 1
    return [*parts, value[start:].strip()]


def _unescaped(text: str) -> Iterator[str]:
    characters = iter(text)
    for character in characters:
        yield next(characters, "") if character == "\\" else character
