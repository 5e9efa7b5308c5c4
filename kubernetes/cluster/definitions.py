"""What a cluster knows of objects that others define: the Prometheus operator's, and those of the Gateway API, from their Go modules."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from harness.commands import run

DOWNLOAD_SECONDS = 600


@dataclass(frozen=True)
class Module:
    name: str
    """With its version."""
    hash: str
    """As the public checksum database has it."""
    files: tuple[str, ...]


MODULES = (
    Module(
        "github.com/prometheus-operator/prometheus-operator@v0.92.1",
        "h1:rHWuFo6SVya4FBSCNg2DCzyc4xAv54zk3eDTzp5mQZc=",
        (
            "example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml",
            "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml",
        ),
    ),
    Module(
        "sigs.k8s.io/gateway-api@v1.3.0",
        "h1:q6okN+/UKDATola4JY7zXzx40WO4VISk7i9DIfOvr9M=",
        ("config/crd/standard/gateway.networking.k8s.io_httproutes.yaml",),
    ),
)


def definitions() -> list[Any]:
    """Downloaded when they are first asked for, which is not possible in the cluster's network."""
    return [yaml.safe_load((downloaded(module) / file).read_text()) for module in MODULES for file in module.files]


def downloaded(module: Module) -> Path:
    with tempfile.TemporaryDirectory() as outside_of_any_module:
        told = run(
            ["go", "mod", "download", "-json", module.name],
            folder=Path(outside_of_any_module),
            limit_seconds=DOWNLOAD_SECONDS,
        )
    found = json.loads(told)
    assert found["Sum"] == module.hash, f"{module.name} is not what it was: {found['Sum']}"
    return Path(found["Dir"])
