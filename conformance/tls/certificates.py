"""The certificates of servers and clients, made by openssl as an operator makes them."""

import subprocess
from dataclasses import dataclass
from datetime import datetime
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
    behind: tuple["Pair", ...] = ()
    """Those that are shown behind it."""

    def chain(self) -> X509CertChain:
        return X509CertChain([parsed(self)] * self.times + [parsed(each) for each in self.behind])

    def private_key(self) -> object:
        return parsePEMKey(self.key.read_text(), private=True)


def parsed(pair: Pair) -> X509:
    certificate = X509()
    certificate.parse(pair.certificate.read_text())
    return certificate


def make(folder: Path, name: str, kind: tuple[str, ...] = EC) -> Pair:
    """For this name, signed by itself."""
    pair = Pair(folder / f"{name}.pem", folder / f"{name}.key")
    command = ["openssl", "req", "-x509", "-newkey", *kind, "-nodes", "-days", "2", "-subj", f"/CN={name}"]
    command += ["-addext", f"subjectAltName=DNS:{name}", "-keyout", str(pair.key), "-out", str(pair.certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return pair


def issue(folder: Path, name: str, issuer: Pair, days: int = 2, extensions: str = "") -> Pair:
    """Signed by another. With 0 days it has expired a second later."""
    pair = Pair(folder / f"{name}.pem", folder / f"{name}.key")
    asked = folder / f"{name}.csr"
    command = ["openssl", "req", "-new", "-newkey", *EC, "-nodes", "-subj", f"/CN={name}"]
    subprocess.run([*command, "-keyout", str(pair.key), "-out", str(asked)], check=True, capture_output=True)
    command = ["openssl", "x509", "-req", "-in", str(asked), "-days", str(days), "-set_serial", "1"]
    command += ["-CA", str(issuer.certificate), "-CAkey", str(issuer.key), "-out", str(pair.certificate)]
    told = folder / f"{name}.extensions"
    told.write_text(extensions)
    subprocess.run([*command, "-extfile", str(told)], check=True, capture_output=True)
    return pair


def issue_until(folder: Path, name: str, issuer: Pair, end: datetime) -> Pair:
    """Signed by another, and valid until then. This is what `openssl ca` is for, which wants a folder of its own."""
    unsigned = issue(folder, name, issuer)
    place = folder / f"{name}-ca"
    place.mkdir()
    (place / "index.txt").touch()
    (place / "ca.cnf").write_text(
        f"[ca]\ndefault_ca=own\n[own]\ndatabase={place}/index.txt\nnew_certs_dir={place}\npolicy=any\n"
        "rand_serial=yes\ndefault_md=sha256\n[any]\ncommonName=supplied\n"
    )
    command = [
        "openssl",
        "ca",
        "-batch",
        "-notext",
        "-config",
        str(place / "ca.cnf"),
        "-in",
        str(folder / f"{name}.csr"),
    ]
    command += ["-cert", str(issuer.certificate), "-keyfile", str(issuer.key), "-out", str(unsigned.certificate)]
    command += ["-startdate", "20200101000000Z", "-enddate", f"{end:%Y%m%d%H%M%SZ}"]
    subprocess.run(command, check=True, capture_output=True)
    return unsigned
