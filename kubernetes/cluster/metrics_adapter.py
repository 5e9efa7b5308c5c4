"""
Custom metrics for the autoscaler, in the place of prometheus-adapter, which cannot be had as a Go module: for each pod, the requests that
its workers hold and that wait for them, as a share of those that the workers take at once.
"""

import json
import re
import ssl
import threading
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cluster.outside import Cluster
from cluster.settings import CONTROL_PLANE

GROUP, VERSION = "custom.metrics.k8s.io", "v1beta1"
METRIC = "handoff_window_used"
SCRAPE_SECONDS = 5


def share(metrics: str) -> float:
    """Of what the workers take at once; more than 1 where requests wait."""
    taken = total(metrics, "handoff_pool_requests_in_flight") + total(metrics, "handoff_queue_depth")
    at_once = total(metrics, "handoff_worker_concurrency")
    return taken / at_once if at_once else 0.0


def total(metrics: str, name: str) -> float:
    """Over all pools and workers."""
    return sum(map(float, re.findall(rf"^{name}(?:\{{.*\}})? (\S+)$", metrics, re.MULTILINE)))


def scraped(address: str, token: str) -> str:
    asked = urllib.request.Request(f"http://{address}:8081/metrics", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(asked, timeout=SCRAPE_SECONDS) as answer:
        return str(answer.read().decode())


def values(cluster: Cluster, namespace: str, token: str) -> list[object]:
    """Of all pods that run; one that has no answer yet has no value."""
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    found: list[object] = []
    for pod in cluster.asked("pods", "--namespace", namespace, "--field-selector", "status.phase=Running")["items"]:
        try:
            used = share(scraped(pod["status"]["podIP"], token))
        except OSError:
            continue
        described = {"kind": "Pod", "apiVersion": "/v1", "namespace": namespace, "name": pod["metadata"]["name"]}
        value = f"{round(used * 1000)}m"
        found.append({"describedObject": described, "metricName": METRIC, "timestamp": now, "value": value})
    return found


class Asked(BaseHTTPRequestHandler):
    def __init__(self, cluster: Cluster, token: str, *arguments: Any) -> None:
        self._cluster = cluster
        self._token = token
        super().__init__(*arguments)

    def do_GET(self) -> None:
        # The star for all pods comes encoded.
        path = urllib.parse.unquote(self.path.partition("?")[0])
        if path == f"/apis/{GROUP}/{VERSION}":
            resource = {"name": f"pods/{METRIC}", "singularName": "", "namespaced": True, "kind": "MetricValueList"}
            resources = [{**resource, "verbs": ["get"]}]
            self._answer({"kind": "APIResourceList", "groupVersion": f"{GROUP}/{VERSION}", "resources": resources})
        elif found := re.fullmatch(rf"/apis/{GROUP}/{VERSION}/namespaces/([^/]+)/pods/\*/{METRIC}", path):
            items = values(self._cluster, found.group(1), self._token)
            self._answer(
                {"kind": "MetricValueList", "apiVersion": f"{GROUP}/{VERSION}", "metadata": {}, "items": items}
            )
        else:
            self.send_error(404)

    def _answer(self, content: dict[str, object]) -> None:
        body = json.dumps({"apiVersion": "v1", **content}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Nobody reads it."""


@contextmanager
def adapter(cluster: Cluster, token: str) -> Iterator[None]:
    """Beside the cluster, which finds it by a Service whose endpoint is written by hand."""
    server = ThreadingHTTPServer((CONTROL_PLANE, 0), partial(Asked, cluster, token))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cluster.certificate, cluster.key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            cluster.apply(*registration(server.server_port))
            yield
        finally:
            cluster.kubectl("delete", "apiservice", f"{VERSION}.{GROUP}")
            server.shutdown()
            serving.join()


def registration(port: int) -> list[object]:
    name = {"name": "metrics-adapter", "namespace": "default"}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": name,
        "spec": {"ports": [{"port": 443, "targetPort": port}]},
    }
    slice_of_one = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {**name, "labels": {"kubernetes.io/service-name": name["name"]}},
        "addressType": "IPv4",
        "endpoints": [{"addresses": [CONTROL_PLANE], "conditions": {"ready": True}}],
        "ports": [{"port": port, "protocol": "TCP", "name": ""}],
    }
    spec = {"group": GROUP, "version": VERSION, "groupPriorityMinimum": 100, "versionPriority": 100}
    spec |= {
        "insecureSkipTLSVerify": True,
        "service": {"name": name["name"], "namespace": name["namespace"], "port": 443},
    }
    api = {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": f"{VERSION}.{GROUP}"},
        "spec": spec,
    }
    return [service, slice_of_one, api]
