"""
The first process of the namespaces: makes the network, starts etcd, the control plane and the nodes, and collects what ends. When one of
these ends, so does it, and with it the namespaces.
"""

import os
import sys
from pathlib import Path

from cluster import certificates, settings
from cluster.processes import Processes, await_api, done
from cluster.settings import CGROUPS, CONTROL_PLANE, NODES, Place

SYSCTLS = {
    "vm/overcommit_memory": "1",
    "vm/panic_on_oom": "0",
    "kernel/panic": "10",
    "kernel/panic_on_oops": "1",
    "kernel/keys/root_maxkeys": "1000000",
    "kernel/keys/root_maxbytes": "25000000",
}
"""What the kubelet sets for the whole machine; files in their places say that it is done already."""


SHARES = "8192"
"""Of the processors for a node's pods, where a process that is in no group has 1024: else a busy machine starves them."""


def main(place: Place) -> None:
    done("mount --make-rshared /")
    pretend_sysctls(place.folder / "sysctl")
    done("mount -t tmpfs tmpfs /run")
    make_network()
    make_cgroups(place)
    certificates.make(place.folder, place.kubeconfig)
    running = Processes(place.logs)
    for name, command in storing_and_serving(place).items():
        running.start(name, command)
    for node in NODES:
        start_node(running, place, node)
    await_api(place)
    for name, command in deciding(place).items():
        running.start(name, command)
    sys.exit(running.await_end())


def pretend_sysctls(folder: Path) -> None:
    folder.mkdir()
    for name, value in SYSCTLS.items():
        file = folder / name.replace("/", ".")
        file.write_text(value + "\n")
        done(f"mount --bind {file} /proc/sys/{name}")


def make_network() -> None:
    done("ip link set lo up")
    done("ip link add nodes type bridge")
    done(f"ip address add {CONTROL_PLANE}/24 dev nodes")
    done("ip link set nodes up")
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1")


def make_cgroups(place: Place) -> None:
    """In every hierarchy, with processors and memory to give on, which a new cpuset lacks."""
    for hierarchy in CGROUPS.iterdir():
        for node in NODES:
            made = Path(f"{hierarchy}{place.cgroup(node)}")
            made.mkdir()
            for name in ("cpuset.cpus", "cpuset.mems"):
                if (made / name).exists():
                    (made / name).write_text((hierarchy / name).read_text())
            if (made / "cpu.shares").exists():
                (made / "cpu.shares").write_text(SHARES)


def storing_and_serving(place: Place) -> dict[str, list[str]]:
    programs, folder = place.programs, place.folder
    return {
        "etcd": ["etcd", "--data-dir", f"{folder}/etcd", "--log-level", "warn"],
        "apiserver": [
            f"{programs}/kube-apiserver",
            "--etcd-servers=http://127.0.0.1:2379",
            f"--service-cluster-ip-range={settings.SERVICES}",
            f"--advertise-address={CONTROL_PLANE}",
            f"--secure-port={settings.API_PORT}",
            f"--tls-cert-file={folder}/apiserver.crt",
            f"--tls-private-key-file={folder}/apiserver.key",
            f"--client-ca-file={folder}/ca.crt",
            f"--token-auth-file={folder}/tokens.csv",
            "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={folder}/accounts.key",
            f"--service-account-signing-key-file={folder}/accounts.key",
            f"--requestheader-client-ca-file={folder}/ca.crt",
            f"--proxy-client-cert-file={folder}/front-proxy.crt",
            f"--proxy-client-key-file={folder}/front-proxy.key",
            "--requestheader-username-headers=X-Remote-User",
            "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-",
            "--enable-aggregator-routing=true",
            "--kubelet-preferred-address-types=InternalIP",
        ],
    }


def deciding(place: Place) -> dict[str, list[str]]:
    programs, folder = place.programs, place.folder
    asking = [f"--kubeconfig={place.kubeconfig}"]
    asking += [f"--{purpose}-kubeconfig={place.kubeconfig}" for purpose in ("authentication", "authorization")]
    asking += ["--leader-elect=false"]
    return {
        "controller-manager": [
            f"{programs}/kube-controller-manager",
            *asking,
            f"--root-ca-file={folder}/ca.crt",
            f"--service-account-private-key-file={folder}/accounts.key",
        ],
        "scheduler": [f"{programs}/kube-scheduler", *asking],
    }


def start_node(running: Processes, place: Place, node: int) -> None:
    """In a network and a view of the files of its own, as on another machine."""
    name = settings.name(node)
    inside = [sys.executable, "-m", "cluster.node", *map(str, (place.folder, place.programs, place.images, node))]
    pid = running.start(name, ["unshare", "--net", "--mount", "--uts", *inside])
    # The process has to have its own network before it can be given a cable.
    mine = os.readlink("/proc/self/ns/net")
    while os.readlink(f"/proc/{pid}/ns/net") == mine:
        os.sched_yield()
    done(f"ip link add {name} type veth peer name eth0 netns {pid}")
    done(f"ip link set {name} master nodes up")
    done(f"ip route add {settings.pods(node)} via {settings.address(node)}")


if __name__ == "__main__":
    main(Place(*map(Path, sys.argv[1:])))
