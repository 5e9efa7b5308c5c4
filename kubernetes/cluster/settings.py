"""The addresses and names that both sides of the namespace know."""

from dataclasses import dataclass
from pathlib import Path

CONTROL_PLANE = "10.200.0.1"
"""The API server, and the outside client of the tests: a neighbour of the nodes, and not in the cluster."""

API_PORT = 6443
SERVICES = "10.96.0.0/16"
PODS = "10.244.0.0/16"
NODES = (1, 2)
CGROUPS = Path("/sys/fs/cgroup")


def name(node: int) -> str:
    return f"node-{node}"


def address(node: int) -> str:
    return f"10.200.0.{10 + node}"


def pods(node: int) -> str:
    return f"10.244.{node}.0/24"


@dataclass(frozen=True)
class Place:
    """The folder of one cluster, which goes with it."""

    folder: Path
    programs: Path
    images: Path

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "kubeconfig"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    def cgroup(self, node: int) -> str:
        return f"/{self.folder.name}-{node}"
