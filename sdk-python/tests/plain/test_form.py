"""Forms as browsers send them, and what is none."""

import sys
from contextlib import suppress
from pathlib import Path

import pytest
import tomllib
from any_machine import on_any_machine
from handoff_worker.plain import multipart_parts
from handoff_worker.plain.form import MOST_URLENCODED_BYTES, File, read_form
from hypothesis import given
from hypothesis import strategies as st

MULTIPART = "multipart/form-data; boundary=XX"
URLENCODED = "application/x-www-form-urlencoded"


def part(head: str, content: bytes) -> bytes:
    return b"--XX\r\n" + head.encode() + b"\r\n\r\n" + content + b"\r\n"


def multipart(*parts: bytes) -> bytes:
    return b"".join(parts) + b"--XX--\r\n"


def field(name: str, content: bytes) -> bytes:
    return part(f'Content-Disposition: form-data; name="{name}"', content)


def test_reads_an_urlencoded_form() -> None:
    read = read_form(URLENCODED + "; charset=UTF-8", b"a=1&b=%C3%A9+x&a=2")
    assert read.pairs() == [("a", "1"), ("b", "é x"), ("a", "2")]
    assert read.files == {}


def test_an_urlencoded_form_is_as_large_as_its_limit_at_most() -> None:
    assert len(read_form(URLENCODED, b"a=" + b"x" * (MOST_URLENCODED_BYTES - 2))["a"]) == MOST_URLENCODED_BYTES - 2
    with pytest.raises(ValueError, match="524289 bytes, and an urlencoded form has 524288 at most"):
        read_form(URLENCODED, b"a=" + b"%" * (MOST_URLENCODED_BYTES - 1))


def test_reads_fields_and_files() -> None:
    file = part(
        'content-disposition: form-data; name="file"; filename="a b.txt"\r\nContent-Type: text/plain', b"x\r\n--X\r\n"
    )
    read = read_form(MULTIPART, multipart(field("name", "Zoë".encode()), file, field("name", b"")))
    assert read.pairs() == [("name", "Zoë"), ("name", "")]
    assert read.files == {"file": File("a b.txt", "text/plain", b"x\r\n--X\r\n")}


def test_several_files_may_have_one_name() -> None:
    files = [part(f'Content-Disposition: form-data; name="f"; filename="{i}"', bytes([i])) for i in range(3)]
    read = read_form(MULTIPART, multipart(*files))
    assert [file.filename for file in read.all_files("f")] == ["0", "1", "2"]
    assert read.files["f"] == File("0", "application/octet-stream", b"\0")


def test_names_are_unescaped_as_browsers_escape_them() -> None:
    read = read_form(MULTIPART, multipart(field("a%22b%0D%0A\\", b"1")))
    assert read.pairs() == [('a"b\r\n\\', "1")]


def test_a_quoted_boundary_may_have_a_blank() -> None:
    body = b'--X X\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--X X--'
    assert read_form('multipart/form-data; charset=utf-8; boundary="X X"', body).pairs() == [("a", "1")]


def test_a_form_without_parts_is_empty() -> None:
    assert read_form(MULTIPART, b"--XX--\r\n").pairs() == []


@on_any_machine
@given(st.lists(st.tuples(st.from_regex(r"[a-z]{1,5}", fullmatch=True), st.binary(max_size=30)), max_size=5))
def test_reads_whatever_files_hold(files: list[tuple[str, bytes]]) -> None:
    parts = [part(f'Content-Disposition: form-data; name="{name}"; filename="f"', body) for name, body in files]
    if any(b"--XX" in body for _, body in files):
        return  # a client chooses a boundary that is in none
    read = read_form(MULTIPART, multipart(*parts))
    assert [(name, file.body) for name, file in read._files] == files


@on_any_machine
@given(st.binary(max_size=60))
def test_whatever_comes_is_a_form_or_refused_by_value_error(body: bytes) -> None:
    for data in (body, b"--XX\r\n" + body, multipart(b"--XX\r\n" + body)):
        with suppress(ValueError):
            read_form(MULTIPART, data)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "end"),
        (b"--XX", "end"),
        (b"--XX\r\n", "end"),
        (field("a", b"1"), "end"),
        (b"hello, world", "Boundary not found"),
        (multipart(part("Content-Type: text/plain", b"1")), "Content-Disposition"),
        (multipart(part('Content-Disposition: form-data; filename="f"', b"1")), "name"),
        (multipart(part('Content-Disposition: attachment; name="a"', b"1")), "Wrong type"),
        (multipart(field("a", b"\xff")), "UTF-8"),
        (multipart(field("Z", b"")).replace(b"Z", b"\xff" * 500), "decode"),
        (b"--XXY\r\n", "boundary"),
        (multipart(field("a", b"")).replace(b"\r\n", b"\n"), "line break"),
    ],
)
def test_refuses_what_is_no_multipart_form(body: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as refused:
        read_form(MULTIPART, body)
    assert len(str(refused.value)) < 100, "it quotes what was sent"


def test_a_name_that_looks_like_a_file_is_a_field() -> None:
    for name in ("x; filename=y", "x; filename*=y", "x\\; filename=y"):
        read = read_form(MULTIPART, multipart(field(name, b"1")))
        assert (read.pairs(), read.files) == ([(name, "1")], {})


@pytest.mark.parametrize(
    "head",
    [
        'Content-Disposition: form-data; name="a"; name="b"',
        "Content-Disposition: form-data; name=a; NAME=b",
        'Content-Disposition: form-data; name="a"; filename="b"; filename="c"',
        'Content-Disposition: form-data; name="a"\r\ncontent-disposition: form-data; name="b"',
        'Content-Disposition: form-data; name="a"\r\nContent-Type: a/b\r\nContent-Type: c/d',
    ],
)
def test_refuses_a_part_that_says_something_twice(head: str) -> None:
    with pytest.raises(ValueError, match=r"twice|two names"):
        read_form(MULTIPART, multipart(part(head, b"1")))


@pytest.mark.parametrize(
    "parameters",
    [
        "; name=a; name*=utf-8''b",
        "; name*=utf-8''b; name=a",
        "; name=a; name*0=b",
        "; name=a; filename*=utf-8''b",
        '; name=a; filename*="b"',
        "; name=a; filename=b; filename*=utf-8''c; FILENAME*=utf-8''d",
        '; @="; name=b"; name=a',
        "; name=a;\tfilename=b",
        "; name=a b",
        '; name="a',
        "; name=a; b",
    ],
)
def test_refuses_a_part_that_others_would_read_otherwise(parameters: str) -> None:
    with pytest.raises(ValueError, match=r"cannot be read|tab|name\*|two names|Missing name") as refused:
        read_form(MULTIPART, multipart(part("Content-Disposition: form-data" + parameters, b"1")))
    assert len(str(refused.value)) < 100, "it quotes what was sent"


def test_a_file_goes_by_its_plain_name() -> None:
    """The HTTP client of .NET sends both; RFC 7578 section 4.2 knows one."""
    head = "Content-Disposition: form-data; name=a; filename=b.txt; filename*=utf-8''c.exe"
    assert read_form(MULTIPART, multipart(part(head, b"1"))).files["a"].filename == "b.txt"


def test_a_browser_escapes_no_backslash() -> None:
    read = read_form(MULTIPART, multipart(part('Content-Disposition: form-data; name="a\\"; filename="b\\"', b"1")))
    assert read.files["a\\"].filename == "b\\"


def test_no_charset_that_a_part_names_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def lookup(name: str) -> None:
        raise AssertionError(f"a client named the codec {name}")

    monkeypatch.setattr("codecs.lookup", lookup)
    typed = part('Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=punycode', b"1")
    read = read_form(MULTIPART + "; charset=idna", multipart(field("_charset_", b"utf-7"), typed))
    assert read["a"] == "1"


def test_refuses_more_parts_than_its_limit() -> None:
    fields = [field("a", b"")] * multipart_parts.MOST_PARTS
    assert len(read_form(MULTIPART, multipart(*fields)).pairs()) == multipart_parts.MOST_PARTS
    with pytest.raises(ValueError, match="Maximum segment count"):
        read_form(MULTIPART, multipart(*fields, field("a", b"")))


def test_refuses_more_headers_of_a_part_than_its_limit() -> None:
    more = "".join(f"\r\nX-{i}: a" for i in range(multipart_parts.MOST_PART_HEADERS - 1))
    head = 'Content-Disposition: form-data; name="a"' + more
    assert read_form(MULTIPART, multipart(part(head, b"1")))["a"] == "1"
    with pytest.raises(ValueError, match="Maximum segment header count"):
        read_form(MULTIPART, multipart(part(head + "\r\nX: a", b"1")))


def test_refuses_a_header_of_a_part_that_is_longer_than_its_limit() -> None:
    longest = "X: ".ljust(multipart_parts.MOST_PART_HEADER_BYTES, "x")
    head = 'Content-Disposition: form-data; name="a"\r\n' + longest
    assert read_form(MULTIPART, multipart(part(head, b"1")))["a"] == "1"
    with pytest.raises(ValueError, match="Maximum segment header length"):
        read_form(MULTIPART, multipart(part(head + "x", b"1")))


def test_refuses_longer_headers_of_all_parts_than_their_limit() -> None:
    disposition = 'form-data; name="a"'
    head = f"Content-Disposition: {disposition}\r\nX: ".ljust(2048 + len(": \r\n: "), "x")
    most = multipart_parts.MOST_HEADER_BYTES // 2048
    assert len(read_form(MULTIPART, multipart(*[part(head, b"1")] * most)).pairs()) == most
    with pytest.raises(ValueError, match="more than 524288 characters of headers"):
        read_form(MULTIPART, multipart(*[part(head, b"1")] * most, part(head, b"1")))


def test_without_the_package_a_multipart_form_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "multipart", None)
    with pytest.raises(ImportError, match="pip install 'multipart"):
        read_form(MULTIPART, multipart(field("a", b"1")))
    assert read_form(URLENCODED, b"a=1")["a"] == "1"


def test_what_it_says_to_install_is_the_extra() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["optional-dependencies"]["forms"] == [multipart_parts.REQUIREMENT]


@pytest.mark.parametrize(
    "kind",
    [
        "",
        "text/plain",
        "multipart/form-data",
        "multipart/form-data; boundary=",
        'multipart/form-data; boundary="' + "x" * 71 + '"',
        "multipart/form-data; boundary=XX; boundary=XX",
        "multipart/form-data; boundary=XX; Boundary=YY",
        "multipart/form-data; boundary=XX, multipart/form-data; boundary=XX",
    ],
)
def test_refuses_a_content_type_that_is_no_form(kind: str) -> None:
    with pytest.raises(ValueError):
        read_form(kind, b"--XX--")
