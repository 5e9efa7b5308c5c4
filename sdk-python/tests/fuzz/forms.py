"""
Properties of forms: any content type and body is a form, or refused by `BadRequest` in a few words. What a browser sends, with
any name, value and file, is read as what was sent, and a field never becomes a file.
"""

from contextlib import suppress
from urllib.parse import urlencode

from handoff_worker import BadRequest, File, Form, Request
from recorded import Outbox, exchange

BOUNDARY = "XX"


def read(data: bytes) -> None:
    kind, _, body = data.partition(b"\n")
    with suppress(BadRequest):
        _form(kind.decode("latin-1"), body)


def holds(data: bytes) -> None:
    kind, _, body = data.partition(b"\n")
    for content_type in (kind.decode("latin-1"), f"multipart/form-data; boundary={BOUNDARY}"):
        try:
            form = _form(content_type, body)
        except BadRequest as problem:
            assert len(str(problem)) < 300, "a refusal says what its client sent"
        else:
            assert all(isinstance(value, str) for pair in form.pairs() for value in pair)
    _urlencoded_is_read_as_sent(data)
    _multipart_is_read_as_sent(data)


def _form(content_type: str, body: bytes) -> Form:
    return Request(exchange(Outbox(), headers=[("content-type", content_type)], body=body)).form


def _pairs(data: bytes) -> list[tuple[str, bytes]]:
    pieces = data.split(b"\n")
    return [(name.decode("latin-1"), value) for name, value in zip(pieces[::2], pieces[1::2], strict=False)]


def _urlencoded_is_read_as_sent(data: bytes) -> None:
    pairs = [(name, value.decode("latin-1")) for name, value in _pairs(data)]
    form = _form("application/x-www-form-urlencoded", urlencode(pairs).encode())
    assert form.pairs() == pairs and not form.files


def _multipart_is_read_as_sent(data: bytes) -> None:
    """As browsers write it (WHATWG HTML, "multipart/form-data encoding algorithm"); each second pair is a file."""
    body, fields, files = b"", [], []
    for index, (name, value) in enumerate(_pairs(data)):
        if BOUNDARY.encode() in value or _escapes_itself(name):
            continue
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{_escaped(name)}"'
        if index % 2:
            head += f'; filename="{_escaped(name)}"\r\nContent-Type: text/plain'
            files.append((name, File(name, "text/plain", value)))
        else:
            value = value.decode("latin-1").encode()
            fields.append((name, value.decode()))
        body += head.encode() + b"\r\n\r\n" + value + b"\r\n"
    form = _form(f"multipart/form-data; boundary={BOUNDARY}", body + f"--{BOUNDARY}--\r\n".encode())
    assert form.pairs() == fields
    assert [(name, file) for name in dict(files) for file in form.all_files(name)] == sorted_by_name(files)


def sorted_by_name(files: list[tuple[str, File]]) -> list[tuple[str, File]]:
    return [(name, file) for wanted in dict(files) for name, file in files if name == wanted]


def _escaped(name: str) -> str:
    return name.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")


def _escapes_itself(name: str) -> bool:
    """A name with an escape in it is sent as it is, and nobody can tell; with a backslash, some legacy client's escape begins."""
    return "%" in name or "\\" in name
