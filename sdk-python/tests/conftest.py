"""Lets the tests import what stands beside them: pytest puts the folder of a conftest.py on the path."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings
from worker_processes import Listener

# How long an input takes to make and to try says how busy the machine is.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


@pytest.fixture
def listener() -> Iterator[Listener]:
    with TemporaryDirectory() as folder:
        listener = Listener(Path(folder))
        yield listener
        listener.close()
