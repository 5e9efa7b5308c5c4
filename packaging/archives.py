"""The files in which packages come: wheels, and tarballs. The same content gives the same bytes, whoever packs it and when."""

import base64
import gzip
import hashlib
import io
import tarfile
import zipfile
from pathlib import Path
from typing import NamedTuple

WHEEL_TAG = "py3-none-any"
WHEEL = f"Wheel-Version: 1.0\nGenerator: handoff packaging\nRoot-Is-Purelib: true\nTag: {WHEEL_TAG}\n"
# By programs, beside what they ran.
LEFT_BEHIND = ("__pycache__",)
# What the formats say of each file instead of when and by whom it was made.
EARLIEST_OF_ZIP = (1980, 1, 1, 0, 0, 0)
READABLE = 0o644
EXECUTABLE = 0o755


class File(NamedTuple):
    content: bytes
    mode: int = READABLE

    @staticmethod
    def of(path: Path) -> "File":
        """With its content where it is a link: npm leaves out links, and wheels have none."""
        return File(path.read_bytes(), EXECUTABLE if path.stat().st_mode & 0o100 else READABLE)


def files_in(folder: Path, prefix: str = "") -> dict[str, File]:
    """By their paths, which begin with the prefix instead of the folder."""
    return {f"{prefix}{path.relative_to(folder).as_posix()}": File.of(path) for path in paths_in(folder)}


def paths_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.parent.name not in LEFT_BEHIND)


def write_wheel(place: Path, distribution: str, version: str, metadata: str, files: dict[str, File]) -> Path:
    """
    :param distribution: the name with underscores
    :param metadata: what METADATA has
    :param files: those of the package, and more for the folder .dist-info, in the order in which they go in
    """
    information = f"{distribution}-{version}.dist-info"
    files = files | {
        f"{information}/METADATA": File(metadata.encode()),
        f"{information}/WHEEL": File(WHEEL.encode()),
    }
    record = f"{information}/RECORD"
    files[record] = File(_record(files, record))
    target = place / f"{distribution}-{version}-{WHEEL_TAG}.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, file in files.items():
            entry = zipfile.ZipInfo(name, EARLIEST_OF_ZIP)
            # The bit of a regular file too, without which pip does not read the mode.
            entry.external_attr = (0o100000 | file.mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, file.content)
    return target


def _record(files: dict[str, File], own_name: str) -> bytes:
    """RECORD: each file with its hash and size, and itself without."""
    lines = []
    for name, file in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(file.content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(file.content)}\n")
    return "".join([*lines, f"{own_name},,\n"]).encode()


def write_tarball(target: Path, files: dict[str, File]) -> Path:
    # Not tarfile's own gzip, which writes the time of day.
    with (
        target.open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tarball,
    ):
        for name, each in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(each.content)
            entry.mode = each.mode
            tarball.addfile(entry, io.BytesIO(each.content))
    return target
