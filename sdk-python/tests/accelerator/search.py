"""
Searches for bytes that the accelerator reads otherwise than the Python does, or beyond their end: search.py SECONDS [INPUT]

`scripts/fuzz-accelerator` starts it with an accelerator that AddressSanitizer and UndefinedBehaviorSanitizer watch. It changes what lies in
`tests/fuzz/corpus/frames`, the golden frames and heads as the core writes them, and prints how many inputs it has tried. With INPUT it
tries the bytes of that file. It leaves what it is about to try in the file `input` of the current folder, so that it is there after a crash.
"""

import mmap
import random
import sys
import time
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "accelerator")]

from both_ways import BothWays
from frame_fixtures import from_core
from handoff_worker.protocol.frames import MOST_BODY_BYTES, MOST_JSON_BYTES, prefix
from handoff_worker_accelerator import _native
from heads import head, mutated, text_of

MOST_BYTES = 4096
FRESH_ONE_OF = 40
"""What was changed is changed again, as long as it is short; one in so many begins anew."""

USUAL = [
    head(),
    head(headers=[], requestId=None),
    head(method="POST", version="1.0", scheme="https", prefix="/a"),
    head(headers=[["host", "[::1]:80"], *([f"x-{i}", 'a"b\\' * i] for i in range(12))], client="unix:0"),
    head(headers=[["host", "a"], ["host", "b:1"]]),
    head(headers=[["x-a", '"' + "a" * 1015 + '"'], ["x", 'a"' * 500]]),
]


def seeds() -> list[bytes]:
    """Frames, and heads alone."""
    heads = [text_of(each) for each in USUAL]
    framed = [prefix.pack(len(text), 4) + text + b"body" for text in heads]
    corpus = [file.read_bytes() for file in sorted((TESTS / "fuzz" / "corpus" / "frames").iterdir())]
    return [*heads, *framed, *corpus, *(fixture.data for fixture in from_core() if len(fixture.data) <= MOST_BYTES)]


def try_all(both: BothWays, data: bytes) -> None:
    """The input as a head, as frames, and as the headers of a response."""
    text = data if data[:1] == b"{" else data[prefix.size :]
    both.scope(text)
    both.environ(text)
    both.messages(data, 0, MOST_JSON_BYTES, MOST_BODY_BYTES)
    both.messages(data, len(data) // 3, 300, 10)
    lines = data.decode("latin-1").split('"')
    status = 200 + len(data) % 500
    both.response_head(len(data), status, tuple(zip(lines[::2], lines[1::2], strict=False)), len(data))
    both.response_head(len(data), status, tuple(("x-a", line) for line in lines if line.isascii()), len(data))


def search(seconds: float, both: BothWays) -> int:
    seed = random.randrange(2**32)
    print(f"seed {seed}", file=sys.stderr)
    chance = random.Random(seed)
    known = seeds()
    data = known[0]
    tried = 0
    end = time.monotonic() + seconds
    with Path("input").open("w+b") as file:
        file.truncate(2 * MOST_BYTES)
        with mmap.mmap(file.fileno(), 2 * MOST_BYTES) as kept:  # which survives the process
            while tried % 256 or time.monotonic() < end:
                if len(data) > MOST_BYTES - 2048 or chance.randrange(FRESH_ONE_OF) == 0:
                    data = chance.choice(known)
                data = repaired(mutated(data if chance.randrange(4) == 0 else chance.choice(known), chance), chance)
                kept[: len(data) + 4] = len(data).to_bytes(4, "big") + data
                try_all(both, data)
                tried += 1
    return tried


def repaired(data: bytes, chance: random.Random) -> bytes:
    """Half of the frames get lengths that lead to their end, so that more than the prefix is looked at."""
    data = data[: 2 * MOST_BYTES - 4]
    if data[:1] != b"{" and len(data) >= prefix.size and chance.randrange(2):
        body = chance.choice((0, 0, 1, 4))
        return prefix.pack(max(0, len(data) - prefix.size - body), body) + data[prefix.size :]
    return data


def main() -> None:
    both = BothWays(_native)
    if len(sys.argv) > 2:
        try_all(both, Path(sys.argv[2]).read_bytes())
    else:
        print(search(float(sys.argv[1]), both))


main()
