"""Large uploads to real frameworks, with the test as the core: forms with files, raw bodies, and clients that leave."""

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from played_core import Frame, PlayedCore
from worker_processes import Listener

FILE = bytes(range(256)) * 4096 * 20
"""21 MB."""

KINDS = ("flask_app", "django_wsgi", "django_asgi", "fastapi_app", "starlette_app", "plain", "coroutine")
READ_ALL_FIRST = {"django_asgi"}
"""Those that never respond before the body has come."""

BOUNDARY = "x-boundary"
CONTENT_TYPE = [["content-type", f"multipart/form-data; boundary={BOUNDARY}"]]
HOST = [["host", "example.org"]]


@pytest.fixture(params=KINDS)
def core(request: pytest.FixtureRequest, listener: Listener) -> PlayedCore:
    return serving(request.param, listener)[0]


def serving(kind: str, listener: Listener) -> tuple[PlayedCore, "subprocess.Popen[str]"]:
    application = f"upload_site:{kind}"
    worker = listener.start_command("-m", "handoff_worker", application, PYTHONPATH=str(Path(__file__).parent))
    core = listener.accept()
    core.greet()
    return core, worker


def form(*files: tuple[str, bytes]) -> bytes:
    parts = [
        f'--{BOUNDARY}\r\ncontent-disposition: form-data; name="{name}"; filename="{name}.bin"\r\n'
        "content-type: application/octet-stream\r\n\r\n".encode()
        + content
        for name, content in files
    ]
    field = f'--{BOUNDARY}\r\ncontent-disposition: form-data; name="title"\r\n\r\nlarge'.encode()
    return b"\r\n".join([field, *parts, f"--{BOUNDARY}--\r\n".encode()])


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def told(frame: Frame) -> Any:
    assert (frame.type, frame.head.get("status")) == ("response", 200), (frame.head, frame.body[:2000])
    return json.loads(frame.body)


def test_a_form_with_a_large_file_arrives(core: PlayedCore) -> None:
    response = core.upload(form(("file", FILE)), "/form", headers=[*HOST, *CONTENT_TYPE])
    assert told(response) == {"title": "large", "file": digest(FILE), "size": len(FILE)}


@pytest.mark.parametrize("piece_bytes", [10_007, 64 * 1024])
def test_a_raw_body_arrives(core: PlayedCore, piece_bytes: int) -> None:
    response = core.upload(FILE, "/raw", headers=HOST, piece_bytes=piece_bytes)
    assert told(response) == {"sha256": digest(FILE), "size": len(FILE)}


@pytest.mark.parametrize("core", sorted({*KINDS} - READ_ALL_FIRST), indirect=True)
def test_a_response_before_the_body_leaves_the_worker_whole(core: PlayedCore) -> None:
    upload = core.begin_upload("/nowhere", first=b"x" * 1000, length=len(FILE), headers=HOST)
    while (frame := core.receive()).type in ("capacity", "credit"):
        pass
    assert (frame.head["id"], frame.head["status"]) == (upload.id, 404)
    core.send_piece(upload, b"x" * 1000)
    assert told(core.upload(b"small", "/raw", headers=HOST))["size"] == 5


def test_a_client_that_leaves_in_mid_body_leaves_the_worker_whole(core: PlayedCore) -> None:
    upload = core.begin_upload("/raw", first=FILE[:100_000], length=len(FILE), headers=HOST)
    core.send_piece(upload, FILE[100_000:150_000])
    core.cancel(upload.id)
    while (frame := core.receive()).type in ("capacity", "credit"):
        pass
    assert frame.head["id"] == upload.id
    assert told(core.upload(b"small", "/raw", headers=HOST))["size"] == 5


@pytest.mark.parametrize("kind", ["flask_app", "django_wsgi", "fastapi_app", "plain", "coroutine"])
def test_a_body_that_is_read_in_parts_is_never_in_memory_as_a_whole(kind: str, listener: Listener) -> None:
    core, worker = serving(kind, listener)
    told(core.upload(FILE[:2_000_000], "/raw", headers=HOST))
    before = peak_bytes(worker.pid)
    for _ in range(2):
        assert told(core.upload(FILE, "/raw", headers=HOST))["size"] == len(FILE)
    assert peak_bytes(worker.pid) - before < 4 * 1024 * 1024


def peak_bytes(process: int) -> int:
    """The most that was resident."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024
