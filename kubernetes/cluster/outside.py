"""Starts a cluster, joins its network, asks it, and ends it without a trace."""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from harness.commands import CommandFailed
from live.process import until

from cluster.processes import say
from cluster.settings import CGROUPS, NODES, Place
from cluster.terminal import Terminal

FOLDERS = "handoff-kubernetes-"
"""How those of clusters begin, and their groups of processes."""

NAMESPACES = "--net --mount --uts --ipc --pid --fork --kill-child=KILL --mount-proc --propagation private"
NEEDED = ("etcd", "containerd", "ctr", "runc", "ip", "iptables", "unshare", "setpriv", "openssl")
HELM = Path(__file__).resolve().parents[2] / "scripts" / "helm"
HELM_SECONDS = 300

CLONE_NEWNET = 0x40000000
END_SECONDS = 30


def missing() -> list[str]:
    """What has to be installed before a cluster can be started here."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return ["root on Linux"]
    plugins = [] if Path("/usr/lib/cni/bridge").exists() else ["containernetworking-plugins"]
    return plugins + [name for name in NEEDED if not shutil.which(name, path=search_path())]


def search_path() -> str:
    """Debian keeps servers where only root's PATH looks."""
    return os.environ["PATH"] + ":/usr/sbin"


class Cluster:
    def __init__(self, place: Place) -> None:
        self._place = place
        self.certificate = place.folder / "apiserver.crt"
        """Of the API server, for whatever else serves the cluster with TLS."""
        self.key = place.folder / "apiserver.key"

    @property
    def name(self) -> str:
        return self._place.folder.name

    def kubectl(self, *arguments: str, given: str = "", limit_seconds: float = 300) -> str:
        """What it says; from standard input where something is given."""
        return self._asked(self._place.programs / "kubectl", arguments, given, limit_seconds)

    def helm(self, *arguments: str) -> str:
        return self._asked(HELM, arguments, "", HELM_SECONDS)

    def _asked(self, program: Path, arguments: Sequence[str], given: str, limit_seconds: float) -> str:
        shown = " ".join([program.name, *arguments])
        command: list[str | Path] = [program, "--kubeconfig", self._place.kubeconfig, *arguments]
        try:
            ended = subprocess.run(
                command, check=False, input=given, capture_output=True, text=True, timeout=limit_seconds
            )
        except subprocess.TimeoutExpired as late:
            raise CommandFailed(f"not done within {limit_seconds:.0f} s: {shown}") from late
        if ended.returncode != 0:
            raise CommandFailed(f"{shown}: {ended.stdout}{ended.stderr}")
        return ended.stdout

    def terminal(self, folder: Path, namespace: str) -> Terminal:
        """Of an operator who works in the folder, on what is in the namespace."""
        kubeconfig = folder / "kubeconfig"
        shutil.copyfile(self._place.kubeconfig, kubeconfig)
        programs = f"{self._place.programs}:{HELM.parent}:{os.environ['PATH']}"
        terminal = Terminal(folder, {**os.environ, "PATH": programs, "KUBECONFIG": str(kubeconfig)})
        terminal.run(f"kubectl config set-context --current --namespace={namespace}")
        return terminal

    def apply(self, *objects: object, namespace: str = "default") -> None:
        together = {"apiVersion": "v1", "kind": "List", "items": objects}
        self.kubectl("apply", "--namespace", namespace, "--filename", "-", given=json.dumps(together))

    def asked(self, *arguments: str) -> Any:
        return json.loads(self.kubectl("get", "--output", "json", *arguments))

    def is_ready(self) -> bool:
        """All nodes are, and pods get what belongs to their accounts."""
        try:
            nodes = self.asked("nodes")["items"]
            self.asked("serviceaccount/default", "configmap/kube-root-ca.crt")
        except CommandFailed:
            return False
        conditions = [each for node in nodes for each in node["status"].get("conditions", [])]
        ready = [each for each in conditions if each["type"] == "Ready" and each["status"] == "True"]
        return len(ready) == len(NODES)


@contextmanager
def started(programs: Path, images: Path) -> Iterator[Cluster]:
    """While it is there, this thread and those that it starts are in its network, beside its nodes."""
    with tempfile.TemporaryDirectory(prefix=FOLDERS) as folder:
        place = Place(Path(folder), programs, images)
        place.logs.mkdir()
        began = time.monotonic()
        # Whoever kills the tests ends the cluster too.
        command = [
            "setpriv",
            "--pdeathsig",
            "KILL",
            "unshare",
            *NAMESPACES.split(),
            sys.executable,
            "-m",
            "cluster.first",
        ]
        command += [str(place.folder), str(programs), str(images)]
        environment = {**os.environ, "PATH": search_path(), "PYTHONPATH": str(Path(__file__).parents[1])}
        with (place.logs / "first.log").open("wb") as log:
            first = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
        try:
            until(lambda: has_network(first, place), "the first process has made its network")
            with joined(child(first.pid)):
                cluster = Cluster(place)
                until(lambda: has_nodes(first, place, cluster), f"{len(NODES)} nodes are ready")
                say(f"a cluster of {len(NODES)} nodes, started in {time.monotonic() - began:.0f} s")
                yield cluster
        finally:
            keep_logs(place)
            end(first, place)


def has_network(first: "subprocess.Popen[bytes]", place: Place) -> bool | None:
    assert first.poll() is None, (place.logs / "first.log").read_text()
    return place.kubeconfig.exists() or None


def has_nodes(first: "subprocess.Popen[bytes]", place: Place, cluster: Cluster) -> bool | None:
    assert first.poll() is None, (place.logs / "first.log").read_text()
    return cluster.is_ready() or None


def child(pid: int) -> int:
    """The process that unshare waits for."""
    (only,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(only)


@contextmanager
def joined(pid: int) -> Iterator[None]:
    """Only this thread, and what it starts."""
    with open("/proc/thread-self/ns/net") as own, open(f"/proc/{pid}/ns/net") as other:
        enter(other.fileno())
        try:
            yield
        finally:
            enter(own.fileno())


def enter(network: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(network, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def forget_last_run() -> None:
    """What was left behind, if it was killed."""
    for group in CGROUPS.glob(f"*/{FOLDERS}*"):
        remove(group)
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDERS}*"):
        shutil.rmtree(folder)


def keep_logs(place: Place) -> None:
    """Where HANDOFF_KUBERNETES_LOGS says, for whoever looks for the reason of a failure."""
    if wanted := os.environ.get("HANDOFF_KUBERNETES_LOGS"):
        shutil.copytree(place.logs, wanted, dirs_exist_ok=True)


def end(first: "subprocess.Popen[bytes]", place: Place) -> None:
    """All that it started ends with it; groups of processes would stay."""
    first.send_signal(signal.SIGKILL)
    first.wait(END_SECONDS)
    for cgroup in [Path(f"{hierarchy}{place.cgroup(node)}") for hierarchy in CGROUPS.iterdir() for node in NODES]:
        until(partial(remove, cgroup), "its groups of processes are empty")


def remove(cgroup: Path) -> bool | None:
    """From the leaves on; one whose processes are still ending cannot go yet."""
    for folder, _, _ in os.walk(cgroup, topdown=False):
        try:
            os.rmdir(folder)
        except OSError:
            return None
    return True
