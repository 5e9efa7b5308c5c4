"""
One cluster for all tests. Pytest puts the folder of a conftest.py on the path, so the tests can import `cluster` and `images`; Docker's
harness and the processes of monitoring are those of their own tests.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "docker"), str(ROOT / "monitoring")]

from cluster import outside, programs
from cluster.definitions import definitions
from cluster.outside import Cluster
from harness.commands import run
from images.archives import archived

Parts = tuple[Path, Path]
"""Where Kubernetes' programs are, and the archive of the images."""


@pytest.fixture(scope="session")
def parts() -> Iterator[Parts]:
    if missing := outside.missing() + programs.missing():
        reason = f"there is no Kubernetes without {', '.join(missing)}"
        if os.environ.get("HANDOFF_KUBERNETES") == "required":
            raise AssertionError(reason)
        pytest.skip(reason)
    with programs.kept() as folder:
        outside.forget_last_run()
        # It is built, and they are downloaded, when first asked for; there is no way out of the cluster's network.
        run([outside.HELM, "version"])
        definitions()
        yield programs.built(folder), archived(folder)


@pytest.fixture(scope="session")
def cluster(parts: Parts) -> Iterator[Cluster]:
    with outside.started(*parts) as started:
        yield started
