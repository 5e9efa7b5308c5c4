"""The headers of a response as text. Those that repeat are kept: most responses of an application have the same."""

from collections.abc import Iterable

from handoff_worker.protocol.response_frame import MOST_CACHED, MOST_CACHED_CHARACTERS, Pairs

_known: dict[tuple[tuple[bytes, bytes], ...], Pairs] = {}


def texts_of(headers: Iterable[tuple[bytes, bytes]]) -> Pairs:
    """The names and values with one character for each octet (ISO-8859-1)."""
    lines = tuple(headers)
    try:
        known = _known.get(lines)
    except TypeError:  # a line may be a list as well
        return _decoded(lines)
    return _keep(lines) if known is None else known


def _keep(lines: tuple[tuple[bytes, bytes], ...]) -> Pairs:
    texts = _decoded(lines)
    if sum(len(name) + len(value) for name, value in lines) <= MOST_CACHED_CHARACTERS:
        if len(_known) >= MOST_CACHED:
            _known.clear()
        _known[lines] = texts
    return texts


def _decoded(lines: Iterable[tuple[bytes, bytes]]) -> Pairs:
    return tuple([(name.decode("latin-1"), value.decode("latin-1")) for name, value in lines])
