"""What the parts of a cluster know each other by: one authority for all, a token for every caller, a key for service accounts."""

import secrets
import subprocess
from pathlib import Path

from cluster.settings import API_PORT, CONTROL_PLANE

NAMES = ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")
ADDRESSES = ("127.0.0.1", CONTROL_PLANE, "10.96.0.1")

KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{{name: tests, cluster: {{server: "https://{address}:{port}", certificate-authority: {authority}}}}}]
users: [{{name: tests, user: {{token: {token}}}}}]
contexts: [{{name: tests, context: {{cluster: tests, user: tests}}}}]
current-context: tests
"""


def make(folder: Path, kubeconfig: Path) -> None:
    openssl(folder, "req -x509 -nodes -newkey rsa:2048 -days 30 -subj /CN=tests -keyout ca.key -out ca.crt")
    alternatives = ",".join([*(f"DNS:{name}" for name in NAMES), *(f"IP:{address}" for address in ADDRESSES)])
    sign(folder, "apiserver", f"subjectAltName={alternatives}")
    sign(folder, "front-proxy", "extendedKeyUsage=clientAuth")
    openssl(folder, "genrsa -out accounts.key 2048")
    token = secrets.token_hex(16)
    (folder / "tokens.csv").write_text(f'{token},admin,admin,"system:masters"\n')
    kubeconfig.write_text(
        KUBECONFIG.format(address=CONTROL_PLANE, port=API_PORT, authority=folder / "ca.crt", token=token)
    )


def sign(folder: Path, name: str, extension: str) -> None:
    (folder / f"{name}.extension").write_text(extension)
    openssl(folder, f"req -nodes -newkey rsa:2048 -subj /CN={name} -keyout {name}.key -out {name}.csr")
    signing = f"x509 -req -in {name}.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30"
    openssl(folder, f"{signing} -extfile {name}.extension -out {name}.crt")


def openssl(folder: Path, arguments: str) -> None:
    subprocess.run(["openssl", *arguments.split()], cwd=folder, check=True, capture_output=True)
