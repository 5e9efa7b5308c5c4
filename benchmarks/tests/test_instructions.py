"""What is counted is what workers do, and is read from what valgrind says."""

import sys
from pathlib import Path

import instructions
import pytest
from harness.workspace import Unavailable, output_of

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("kind", instructions.KINDS)
def test_answers_all_that_is_counted(kind: str) -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "peers" / "in_process.py"), kind, "2", "3", "accept", "*/*"]
    output_of("env", f"PYTHONPATH={ROOT / 'sdk-python' / 'src'}", *command)


def test_reads_the_count_of_valgrind() -> None:
    said = "==7== Events    : Ir\n==7== Collected : 1234567890\n==7== \n==7== I   refs:      1,234,567,890\n"
    assert instructions.collected(said) == 1234567890
    with pytest.raises(Unavailable, match="counted nothing"):
        instructions.collected("==7== Memcheck")
