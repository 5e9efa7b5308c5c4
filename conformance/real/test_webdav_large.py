"""A file of 1 GiB, up to WsgiDAV and down again: every byte comes back, and neither the core nor its worker holds it."""

import hashlib
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
import requests
from served import Served, gunicorn_process, handoff_process

FILE_BYTES = 1 << 30
BLOCK = hashlib.shake_256(b"a file").digest(65_521)
MOST_MEMORY = 64 << 20
"""Above idle, of the core and of the worker: each holds some pieces of the file, never much of it."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "file"
    with path.open("wb") as output:
        for _ in range(FILE_BYTES // len(BLOCK)):
            output.write(BLOCK)
        output.write(BLOCK[: FILE_BYTES % len(BLOCK)])
    return path


def use(server: AbstractContextManager[Served], file: Path, expected: str) -> tuple[list[int], list[int]]:
    """The statuses, and by how much each process had grown at its peak, in bytes: the core or master, and its worker."""
    with server as served:
        for _ in range(20):
            requests.get(f"{served.url}/", timeout=60)
        processes = served.processes()
        idle = [memory(process, "VmRSS") for process in processes]
        with file.open("rb") as content:
            put = requests.put(f"{served.url}/file", data=content, timeout=600)
        digest = hashlib.sha256()
        with requests.get(f"{served.url}/file", stream=True, timeout=600) as get:
            for part in get.iter_content(1 << 18):
                digest.update(part)
        grown = [memory(process, "VmHWM") - before for process, before in zip(processes, idle, strict=True)]
        deleted = requests.delete(f"{served.url}/file", timeout=60)
    assert digest.hexdigest() == expected
    return [each.status_code for each in (put, get, deleted)], grown


def memory(process: int, which: str) -> int:
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition(f"{which}:")[2].split()[0]) * 1024


def test_a_large_file_goes_up_and_down(file: Path, tmp_path: Path) -> None:
    with file.open("rb") as content:
        expected = hashlib.file_digest(content, "sha256").hexdigest()
    environments = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        environments.append({"WEBDAV_FOLDER": str(tmp_path / name)})
    options = ("--max-body", "1GiB", "--max-spooled", "1GiB", "--request-timeout", "5m")
    served, grown = use(handoff_process(*options, "webdav:app", environment=environments[0]), file, expected)
    own, by_gunicorn = use(gunicorn_process("webdav:app", environments[1]), file, expected)
    print("WsgiDAV, 1 GiB:", served, "MiB above idle:", in_mib(grown), "gunicorn:", in_mib(by_gunicorn))
    assert served == own == [201, 200, 204]
    assert max(grown) < MOST_MEMORY


def in_mib(sizes: list[int]) -> list[int]:
    return [size >> 20 for size in sizes]
