"""
Kubernetes' programs, built from their Go modules and kept in ~/.cache/handoff-kubernetes: half a gigabyte that takes a quarter of an hour
once. Which modules, with their hashes, stands in ../programs.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness import cache
from harness.commands import run

from cluster.processes import say

MODULE = Path(__file__).parents[1] / "programs"
NAMES = ("kubectl", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy")
VERSIONED = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
OLDEST_GO = (1, 24)
BUILD_SECONDS = 3600


@contextmanager
def kept() -> Iterator[Path]:
    """The folder of the cache, for one run at a time."""
    with cache.held("handoff-kubernetes") as folder:
        yield folder


def version() -> str:
    found = re.search(r"k8s\.io/kubernetes v(\S+)", (MODULE / "go.mod").read_text())
    assert found
    return found.group(1)


def missing() -> list[str]:
    """What has to be installed to build them."""
    if not shutil.which("go"):
        return ["Go"]
    said = subprocess.run(["go", "env", "GOVERSION"], check=True, capture_output=True, text=True).stdout
    found = re.match(r"go(\d+)\.(\d+)", said)
    is_new = found and (int(found.group(1)), int(found.group(2))) >= OLDEST_GO
    return [] if is_new else [f"Go {'.'.join(map(str, OLDEST_GO))} or newer"]


def built(folder: Path) -> Path:
    """Where they are; only those are built that are not there yet."""
    programs = folder / version()
    programs.mkdir(exist_ok=True)
    for name in NAMES:
        if not (programs / name).exists():
            say(f"building {name}; all of them take a quarter of an hour on two cores, once")
            build(name, programs)
    return programs


def build(name: str, programs: Path) -> None:
    major, minor, _ = version().split(".")
    values = {"gitVersion": f"v{version()}", "gitMajor": major, "gitMinor": minor}
    told = [f"-X {package}.{key}={value}" for package in VERSIONED for key, value in values.items()]
    unfinished = programs / f"{name}.unfinished"
    command = ["nice", "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", " ".join(["-s -w", *told])]
    run(
        [*command, "-o", unfinished, f"k8s.io/kubernetes/cmd/{name}"],
        environment={**os.environ, "CGO_ENABLED": "0"},
        folder=MODULE,
        limit_seconds=BUILD_SECONDS,
    )
    unfinished.rename(programs / name)
