"""Ways to damage the bytes of a request. Each takes the random numbers, the bytes, and the fixtures to splice with."""

import re
from collections.abc import Callable, Sequence
from random import Random

from differential import pieces

Mutation = Callable[[Random, bytes, Sequence[bytes]], bytes]

MOST_BYTES_AT_ONCE = 8


def delete_bytes(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    start, end = _span(random, data)
    return data[:start] + data[end:]


def duplicate_bytes(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    start, end = _span(random, data)
    return data[:end] + data[start:]


def insert_byte(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    byte = random.choice(pieces.BYTES) if random.random() < 0.8 else bytes([random.randrange(256)])
    return _insert(data, random.randint(0, len(data)), byte)


def replace_byte(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = random.randrange(len(data))
    return data[:at] + random.choice(pieces.BYTES) + data[at + 1 :]


def insert_piece(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return _insert(data, random.randint(0, len(data)), random.choice(pieces.ALL))


def insert_header_line(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return _insert(data, _line_start(random, data), random.choice(pieces.HEADER_LINES))


def insert_chunk(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = _line_start(random, data) if random.random() < 0.5 else len(data)
    return _insert(data, at, random.choice(pieces.CHUNKS))


def change_digit(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return _replace_one(random, data, rb"[0-9]", lambda digit: b"%d" % ((int(digit) + random.choice((1, 9))) % 10))


def change_case(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return _replace_one(random, data, rb"[A-Za-z]+", bytes.swapcase)


def change_line_end(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    ends = (b"\n", b"\r", b"\r\r\n", b"\n\r", b" \r\n", b"\t\r\n", b"\r\n\r\n", b"\0\r\n", b"\r\n ")
    return _replace_one(random, data, rb"\r\n", lambda _: random.choice(ends))


def change_colon(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    colons = (b":", b" :", b"\t:", b":\t", b": \t ", b":\x0b", b":\xa0", b"::", b"=", b":\r\n ", b"\0:")
    return _replace_one(random, data, rb": ?", lambda _: random.choice(colons))


def duplicate_line(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    lines = _lines(data)
    lines.insert(random.randrange(len(lines)), random.choice(lines))
    return b"".join(lines)


def swap_lines(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    lines = _lines(data)
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def splice(random: Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    other = random.choice(corpus)
    return data[: random.randint(0, len(data))] + other[random.randint(0, len(other)) :]


def append_request(random: Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    return data + random.choice([*pieces.REQUESTS, random.choice(corpus)])


ALL: list[Mutation] = [
    delete_bytes,
    duplicate_bytes,
    insert_byte,
    replace_byte,
    insert_piece,
    insert_header_line,
    insert_chunk,
    change_digit,
    change_case,
    change_line_end,
    change_colon,
    duplicate_line,
    swap_lines,
    splice,
    append_request,
]


def _span(random: Random, data: bytes) -> tuple[int, int]:
    start = random.randint(0, len(data))
    return start, min(len(data), start + random.randint(1, MOST_BYTES_AT_ONCE))


def _insert(data: bytes, at: int, piece: bytes) -> bytes:
    return data[:at] + piece + data[at:]


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True) or [b""]


def _line_start(random: Random, data: bytes) -> int:
    return random.choice([match.end() for match in re.finditer(rb"\n", data)] or [0])


def _replace_one(random: Random, data: bytes, pattern: bytes, new: Callable[[bytes], bytes]) -> bytes:
    found = list(re.finditer(pattern, data))
    if not found:
        return data
    chosen = random.choice(found)
    return data[: chosen.start()] + new(chosen[0]) + data[chosen.end() :]
