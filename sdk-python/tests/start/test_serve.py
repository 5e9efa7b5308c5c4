"""What `serve` refuses, and what it loads."""

import subprocess
import sys
from typing import Any

import pytest
from handoff_worker import serve


def plain(request: Any) -> Any: ...


@pytest.mark.parametrize("options", [{"threads": 0}, {"threads": 1001}, {"concurrency": 0}])
def test_refuses_limits_that_make_no_sense(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        serve(plain, **options)


def test_refuses_a_handler_that_cannot_be_called() -> None:
    with pytest.raises(TypeError, match="int"):
        serve(3)  # type: ignore[arg-type]


def test_the_engine_for_coroutines_is_loaded_only_where_it_is_needed() -> None:
    """Importing asyncio takes longer than all of the SDK."""
    check = "import sys, handoff_worker, handoff_worker.engine.blocking_worker; sys.exit('asyncio' in sys.modules or 'inspect' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
