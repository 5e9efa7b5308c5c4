"""The certificates of servers and clients, made by openssl as an operator makes them."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tls.library import X509, X509CertChain, parsePEMKey

EC = ("ec", "-pkeyopt", "ec_paramgen_curve:P-256")
RSA = ("rsa:2048",)


@dataclass(frozen=True)
class Pair:
    certificate: Path
    key: Path
    times: int = 1
    """How often the chain that is shown has it."""

    def chain(self) -> X509CertChain:
        certificate = X509()
        certificate.parse(self.certificate.read_text())
        return X509CertChain([certificate] * self.times)

    def private_key(self) -> object:
        return parsePEMKey(self.key.read_text(), private=True)


def make(folder: Path, name: str, kind: tuple[str, ...] = EC) -> Pair:
    """For this name, signed by itself."""
    pair = Pair(folder / f"{name}.pem", folder / f"{name}.key")
    command = ["openssl", "req", "-x509", "-newkey", *kind, "-nodes", "-days", "2", "-subj", f"/CN={name}"]
    command += ["-addext", f"subjectAltName=DNS:{name}", "-keyout", str(pair.key), "-out", str(pair.certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return pair


def issue(folder: Path, name: str, issuer: Pair, days: int = 2) -> Pair:
    """Signed by another. With 0 days it has expired a second later."""
    pair = Pair(folder / f"{name}.pem", folder / f"{name}.key")
    asked = folder / f"{name}.csr"
    command = ["openssl", "req", "-new", "-newkey", *EC, "-nodes", "-subj", f"/CN={name}"]
    subprocess.run([*command, "-keyout", str(pair.key), "-out", str(asked)], check=True, capture_output=True)
    command = ["openssl", "x509", "-req", "-in", str(asked), "-days", str(days), "-set_serial", "1"]
    command += ["-CA", str(issuer.certificate), "-CAkey", str(issuer.key), "-out", str(pair.certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return pair
