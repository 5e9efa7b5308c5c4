"""The proxies, each started from the file that operators get, but for ports, addresses and certificates."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from live import process
from live.ports import free_ports
from live.process import Process, until

from behind.client import NAME, Site

DEPLOY = Path(__file__).resolve().parents[1]

Changes = Mapping[str, str]
"""Text of a file, and what the tests have in its place."""


@dataclass(frozen=True)
class Ports:
    http: int
    https: int


@dataclass(frozen=True)
class Proxy:
    program: str
    file: str
    upstream: str
    """Where its file says that Handoff is."""
    long_idle: str
    """What ends idle connections to Handoff."""
    short_idle: str
    """The same, within seconds."""
    second: Sequence[str]
    """What has to be uncommented for a second Handoff."""
    changes: Callable[[Path, Ports], Changes]
    """Below a folder with the certificate `certificate.pem`, its key `key.pem` and both in `combined.pem`."""
    command: Callable[[str, Path], list[str]]
    """The program in the foreground, on the changed file."""

    def find(self) -> str | None:
        # Debian keeps servers where only root's PATH looks.
        return shutil.which(self.program) or shutil.which(self.program, path="/usr/sbin")


def _nginx_changes(folder: Path, ports: Ports) -> Changes:
    return {
        "listen 80;": f"listen 127.0.0.1:{ports.http};",
        "listen 443 ": f"listen 127.0.0.1:{ports.https} ",
        "/etc/ssl/handoff/fullchain.pem": f"{folder}/certificate.pem",
        "/etc/ssl/handoff/key.pem": f"{folder}/key.pem",
    }


def _nginx_command(program: str, file: Path) -> list[str]:
    """The file is a part of nginx's configuration, as it is in /etc/nginx/conf.d."""
    folder = file.parent
    whole = (Path(__file__).with_name("nginx.conf")).read_text()
    # Started by root, its workers would be somebody who may not read the folder of a test.
    whole = whole.replace("@user@", "user root;" if os.geteuid() == 0 else "")
    around = folder / "around.conf"
    around.write_text(whole.replace("@folder@", str(folder)).replace("@file@", str(file)))
    return [program, "-c", str(around), "-e", "stderr"]


def _haproxy_changes(folder: Path, ports: Ports) -> Changes:
    return {
        "bind :80\n": f"bind 127.0.0.1:{ports.http}\n",
        "bind :443 ": f"bind 127.0.0.1:{ports.https} ",
        "/etc/ssl/handoff/combined.pem": f"{folder}/combined.pem",
        "log /dev/log local0": "log stdout format raw local0",
    }


def _caddy_changes(folder: Path, ports: Ports) -> Changes:
    return {
        "\tservers {": f"\tadmin off\n\thttp_port {ports.http}\n\thttps_port {ports.https}\n\tservers {{",
        "# tls /etc/ssl/handoff/fullchain.pem /etc/ssl/handoff/key.pem": f"tls {folder}/certificate.pem {folder}/key.pem",
    }


NGINX = Proxy(
    "nginx",
    "nginx.conf",
    upstream="server 127.0.0.1:8080",
    long_idle="keepalive_timeout 45s",
    short_idle="keepalive_timeout 1s",
    second=["server 192.0.2.2:8080"],
    changes=_nginx_changes,
    command=_nginx_command,
)
HAPROXY = Proxy(
    "haproxy",
    "haproxy.cfg",
    upstream="server one 127.0.0.1:8080",
    long_idle="pool-purge-delay 5s",
    short_idle="pool-purge-delay 300ms",
    second=["option httpchk", "option redispatch", "default-server check", "server two 192.0.2.2:8080"],
    changes=_haproxy_changes,
    command=lambda program, file: [program, "-db", "-f", str(file)],
)
CADDY = Proxy(
    "caddy",
    "Caddyfile",
    upstream="reverse_proxy 127.0.0.1:8080",
    long_idle="keepalive 45s",
    short_idle="keepalive 1s",
    second=["to 192.0.2.2:8080", "health_uri", "health_port", "health_interval"],
    changes=_caddy_changes,
    command=lambda program, file: [program, "run", "--adapter", "caddyfile", "--config", str(file)],
)
PROXIES = (NGINX, HAPROXY, CADDY)


def with_second(proxy: Proxy, port: int, admin_port: int, second: str) -> Changes:
    """What makes of the file one for two Handoffs: the other has the same ports at another address."""
    uncommented = {f"# {line}": line for line in proxy.second}
    moved = {"192.0.2.2:8080": f"{second}:{port}"}
    return uncommented | moved | ({} if proxy is NGINX else {"8081": str(admin_port)})


@contextmanager
def run(proxy: Proxy, folder: Path, upstream: int, more: Changes | None = None) -> Iterator[Site]:
    """In front of the Handoff that has this port."""
    program = proxy.find()
    assert program, f"{proxy.program} is not installed"
    folder.mkdir()
    make_certificate(folder)
    ports = Ports(*free_ports(2))
    moved = {proxy.upstream: proxy.upstream.replace("8080", str(upstream))}
    text = (DEPLOY / proxy.file).read_text()
    for ours, tests in {**(more or {}), **proxy.changes(folder, ports), **moved}.items():
        assert ours in text, ours
        text = text.replace(ours, tests)
    file = folder / proxy.file
    file.write_text(text)
    homes = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    with process.run(proxy.command(program, file), folder / "log", environment=homes) as running:
        site = Site(ports.https, folder / "certificate.pem")
        until(lambda: listens(site, running) or None, f"{proxy.program} listens")
        yield site


def listens(site: Site, running: Process) -> bool:
    running.assert_running()
    try:
        with site.connect():
            return True
    except ConnectionRefusedError:
        return False


def make_certificate(folder: Path) -> None:
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "1",
    ]
    command += ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
    command += ["-keyout", str(folder / "key.pem"), "-out", str(folder / "certificate.pem")]
    subprocess.run(command, check=True, capture_output=True)
    parts = [(folder / name).read_text() for name in ("certificate.pem", "key.pem")]
    (folder / "combined.pem").write_text("".join(parts))
