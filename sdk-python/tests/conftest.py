"""Lets the tests import what stands beside them: pytest puts the folder of a conftest.py on the path."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from worker_processes import Listener


@pytest.fixture
def listener() -> Iterator[Listener]:
    with TemporaryDirectory() as folder:
        listener = Listener(Path(folder))
        yield listener
        listener.close()
