"""
Searches with Atheris for an input that breaks a target: `python -m fuzz TARGET [OPTION OF LIBFUZZER | FOLDER]...`

scripts/fuzz-python starts it.
"""

import sys
from zlib import crc32

import atheris  # type: ignore[import-not-found, unused-ignore]

COUNTED_ONE_OF = 200
"""Counting makes an input some hundred times as slow. Which are counted follows from their bytes, so a finding is one each time."""


def main() -> None:
    with atheris.instrument_imports(include=["handoff_worker", "multipart", "fuzz"], enable_loader_override=False):
        from fuzz.checked import require_holds, require_linear, target

        module = target(sys.argv[1])

    def one_input(data: bytes) -> None:
        require_holds(module, data)
        if crc32(data, 2) % COUNTED_ONE_OF == 0:
            require_linear(module, data)

    atheris.Setup([sys.argv[0], *sys.argv[2:]], one_input)
    atheris.Fuzz()


main()
