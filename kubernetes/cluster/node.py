"""One node: containerd with the images, a kubelet and a kube-proxy, in a network and a view of the files of its own."""

import json
import subprocess
import sys
import time
from pathlib import Path

from cluster import settings
from cluster.processes import LOOK_SECONDS, Processes, await_api, done, repeat_until_done
from cluster.settings import CONTROL_PLANE, NODES, Place

OWN_FOLDERS = ("/run", "/var/log", "/var/lib/cni")

CONTAINERD = """\
version = 2
root = "{folder}/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.internal.v1.opt"]
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "docker.io/library/pause:1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{folder}/cni"
"""


def main(place: Place, node: int) -> None:
    done("mount --make-rshared /")
    for folder in OWN_FOLDERS:
        Path(folder).mkdir(exist_ok=True)
        done(f"mount -t tmpfs tmpfs {folder}")
    done(f"hostname {settings.name(node)}")
    own = place.folder / settings.name(node)
    (own / "cni").mkdir(parents=True)
    join_network(node)
    running = Processes(place.logs)
    start_containerd(running, place, own, node)
    await_api(place)
    start_kubernetes(running, place, own, node)
    sys.exit(running.await_end())


def join_network(node: int) -> None:
    done("ip link set lo up")
    while not Path("/proc/sys/net/ipv4/conf/eth0").exists():
        time.sleep(LOOK_SECONDS)
    done(f"ip address add {settings.address(node)}/24 dev eth0")
    done("ip link set eth0 up")
    done(f"ip route add default via {CONTROL_PLANE}")
    for other in NODES:
        if other != node:
            done(f"ip route add {settings.pods(other)} via {settings.address(other)}")
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
    bridged = Path("/proc/sys/net/bridge/bridge-nf-call-iptables")
    if bridged.exists():
        bridged.write_text("1")


def start_containerd(running: Processes, place: Place, own: Path, node: int) -> None:
    (own / "containerd.toml").write_text(CONTAINERD.format(folder=own))
    (own / "cni" / "pods.conflist").write_text(json.dumps(network(node)))
    name = settings.name(node)
    running.start(f"{name}-containerd", ["containerd", "--config", own / "containerd.toml"])
    ctr = ["ctr", "--namespace", "k8s.io"]
    repeat_until_done([*ctr, "version"])
    subprocess.run([*ctr, "images", "import", str(place.images)], check=True)


def network(node: int) -> object:
    bridge = {
        "type": "bridge",
        "bridge": "cni0",
        "isGateway": True,
        "hairpinMode": True,
        "ipam": {"type": "host-local", "ranges": [[{"subnet": settings.pods(node)}]], "routes": [{"dst": "0.0.0.0/0"}]},
    }
    return {"cniVersion": "0.4.0", "name": "pods", "plugins": [bridge]}


def start_kubernetes(running: Processes, place: Place, own: Path, node: int) -> None:
    name, address = settings.name(node), settings.address(node)
    (own / "resolv.conf").write_text("")
    (own / "kubelet.json").write_text(json.dumps(kubelet(place, own, node)))
    (own / "proxy.json").write_text(json.dumps(proxy(place, node)))
    command: list[str | Path] = [place.programs / "kubelet", "--config", own / "kubelet.json"]
    command += ["--kubeconfig", place.kubeconfig, "--hostname-override", name, "--node-ip", address]
    running.start(f"{name}-kubelet", [*command, "--root-dir", own / "kubelet", "--cert-dir", own / "pki"])
    running.start(f"{name}-proxy", [place.programs / "kube-proxy", "--config", own / "proxy.json"])


def kubelet(place: Place, own: Path, node: int) -> object:
    """For tests: whoever reaches it may use it, and disks are not watched."""
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
        "authorization": {"mode": "AlwaysAllow"},
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": place.cgroup(node),
        "failCgroupV1": False,
        "failSwapOn": False,
        "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
        "evictionHard": {"memory.available": "50Mi"},
        "imageGCHighThresholdPercent": 100,
        "oomScoreAdj": 0,
        "resolvConf": str(own / "resolv.conf"),
        "volumePluginDir": str(own / "volume-plugins"),
    }


def proxy(place: Place, node: int) -> object:
    """Conntrack's limits are the machine's, and stay."""
    conntrack = {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"}
    return {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "clientConnection": {"kubeconfig": str(place.kubeconfig)},
        "clusterCIDR": settings.PODS,
        "conntrack": {**conntrack, "udpTimeout": "0s", "udpStreamTimeout": "0s"},
        "hostnameOverride": settings.name(node),
        "mode": "iptables",
        "oomScoreAdj": 0,
    }


if __name__ == "__main__":
    folder, programs, images, node = sys.argv[1:]
    main(Place(Path(folder), Path(programs), Path(images)), int(node))
