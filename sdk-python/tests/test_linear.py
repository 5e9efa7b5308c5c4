"""No input costs more than linear work: twice as much of what is worst for the SDK makes at most twice the work."""

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import handoff_worker
import pytest
from handoff_worker import Request, Response
from handoff_worker.asgi.scope import scope_of
from handoff_worker.plain.form import read_form
from handoff_worker.plain.headers import parameter, split_parameters
from handoff_worker.wsgi.environ import Environs
from recorded import Fields, Outbox, exchange
from work import work_of

SIZE = 4_000
"""So long that the part of the work which is the same for every size does not count."""
MOST_GROWTH = 2.5
"""The quadratic grows by 4."""

MULTIPART = "multipart/form-data; boundary=XX"


def request(headers: Fields | None = None, target: str = "/", body: bytes = b"") -> Request:
    return Request(exchange(Outbox(), headers=headers, target=target, body=body))


def header(name: str, value: str) -> Request:
    return request([(name, value)])


def part(head: str, content: str = "") -> str:
    return f"--XX\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n"


def form(body: str, kind: str = MULTIPART) -> None:
    with suppress(ValueError):
        read_form(kind, body.encode() + b"--XX--\r\n")


INPUTS: dict[str, Callable[[int], object]] = {
    "lines of one name": lambda n: request([("x", "y")] * n).headers,
    "lines of one name in WSGI": lambda n: Environs(False).of(exchange(Outbox(), headers=[("x", "y")] * n)),
    "lines of many names in WSGI": lambda n: Environs(False).of(
        exchange(Outbox(), headers=[(f"x{i}", "") for i in range(n)])
    ),
    "lines of one name in ASGI": lambda n: scope_of(exchange(Outbox(), headers=[("x", "y")] * n), {}),
    "one long name in WSGI": lambda n: Environs(False).of(exchange(Outbox(), headers=[("x-" * n, "")])),
    "cookies": lambda n: header("cookie", "a=1; " * n).cookies,
    "cookies of many names": lambda n: header("cookie", "".join(f"a{i}=1;" for i in range(n))).cookies,
    "cookies without a value": lambda n: header("cookie", ";" * n).cookies,
    "one cookie of equals signs": lambda n: header("cookie", "=" * n).cookies,
    "one cookie of blanks": lambda n: header("cookie", " " * n + "x").cookies,
    "lines of cookies": lambda n: request([("cookie", "a=1")] * n).cookies,
    "parameters": lambda n: parameter("a" + ";b=c" * n, "d"),
    "parameters of nothing": lambda n: parameter(";" * n, "d"),
    "parameter of backslashes": lambda n: parameter('a;d="' + "\\" * 2 * n + '"', "d"),
    "parameter that does not end": lambda n: parameter('a;d="' + ";" * n, "d"),
    "parameter of blanks": lambda n: parameter("a;" + " " * n + "x" + " " * n + "=", "d"),
    "parameter of quotes": lambda n: split_parameters('"' * n),
    "charset": lambda n: charset("x" * n, b""),
    "text in punycode": lambda n: charset("punycode", b"x-" + b"a" * n),
    "text in IDNA": lambda n: charset("idna", b"xn--" + b"a" * n),
    "query of names": lambda n: query("a&" * n),
    "query of escapes": lambda n: query("%FF" * n),
    "query of half escapes": lambda n: query("%" * n),
    "query of equals signs": lambda n: query("=" * n),
    "path of escapes": lambda n: request(target="/" + "%C3%A9" * n).path,
    "path of half escapes": lambda n: request(target="/" + "%" * n).path,
    "JSON of brackets": lambda n: json(b"[" * n),
    "JSON of digits": lambda n: json(b"1" * n),
    "JSON of escapes": lambda n: json(b'"' + b"\\u0041" * n + b'"'),
    "form of names": lambda n: form("a&" * n, "application/x-www-form-urlencoded"),
    "form of parts": lambda n: form(part('name="a"') * (n // 10)),
    "part's type behind blanks": lambda n: form(part('name="a"\r\nContent-Type:' + " " * n + "x")),
    "part's name behind blanks": lambda n: form(part(" " * n + "name")),
    "part of parameters": lambda n: form(part("a=b; " * n + "name=a")),
    "part of backslashes": lambda n: form(part('name="' + "\\" * n + '"')),
    "part of open quotes": lambda n: form(part(';a="\\' * n)),
    "part of header lines": lambda n: form(part('name="a"' + "\r\nX: a" * n)),
    "part of continued lines": lambda n: form(part('name="a"' + "\r\n a" * n)),
    "content of line ends": lambda n: form(part('name="a"', "\r\n" * n)),
    "content of half boundaries": lambda n: form(part('name="a"', "\r\n--X" * n)),
    "form without a boundary": lambda n: form("\r\n--X" * n),
    "form with a long boundary": lambda n: form("", f"multipart/form-data; boundary={'x' * n}"),
    "Host of zeros": lambda n: Environs(False).of(exchange(Outbox(), headers=[("host", "a:" + "0" * n + "80")])),
    "cookies that are set": lambda n: cookies(n),
    "value of a cookie": lambda n: Response().set_cookie("a", "x" * n),
}


def charset(name: str, body: bytes) -> None:
    with suppress(ValueError):
        request([("content-type", f"text/plain; charset={name}")], body=body).text()


def query(text: str) -> None:
    with suppress(ValueError):
        _ = request(target="/?" + text).query


def json(body: bytes) -> None:
    with suppress(ValueError):
        request(body=body).json()


def cookies(count: int) -> None:
    response = Response()
    for _ in range(count):
        response.set_cookie("a", "b")


@pytest.mark.parametrize("worst", INPUTS)
def test_twice_the_input_makes_at_most_twice_the_work(worst: str) -> None:
    call = INPUTS[worst]
    call(2 * SIZE)  # what is imported and bounded_cache at first does not count
    work = work_of(lambda: call(SIZE))
    growth = work_of(lambda: call(2 * SIZE)) / work
    assert growth < MOST_GROWTH


def test_this_would_notice_what_is_quadratic() -> None:
    def grow(n: int) -> None:
        texts = {"": ""}
        for _ in range(n):
            texts[""] += "x" * 20

    assert work_of(lambda: grow(2 * SIZE)) / work_of(lambda: grow(SIZE)) > MOST_GROWTH


# A repeat can only end in one place when what may follow it is none of what it repeats. Then nothing is ever tried twice, and a
# pattern takes as many steps as there are characters. `search` begins anew at each of them, so it gets patterns of one only.


def nodes() -> Iterator[tuple[str, ast.AST]]:
    for file in sorted(Path(handoff_worker.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            yield f"{file.name}:{getattr(node, 'lineno', '')}", node


def patterns() -> list[tuple[str, Any, str]]:
    """Every pattern of the SDK: where it is, the pattern, and the method that is called."""
    return [
        (place, ast.literal_eval(node.value.args[0]), node.attr)
        for place, node in nodes()
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == "re.compile"
    ]


def test_every_pattern_is_compiled_where_the_next_test_finds_it() -> None:
    used = [
        (place, node.attr)
        for place, node in nodes()
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "re"
    ]
    assert len(used) == len(patterns()) > 3
    assert {name for _, name in used} == {"compile"}, used


@pytest.mark.parametrize(("place", "pattern", "method"), patterns(), ids=lambda value: str(value)[:20])
def test_no_pattern_tries_anything_twice(place: str, pattern: Any, method: str) -> None:
    items = flat(re._parser.parse(pattern))  # type: ignore[attr-defined]
    for index, (repeated, characters) in enumerate(items):
        if repeated:
            following = items[index + 1][1] if index + 1 < len(items) else set()
            assert not characters & following, f"{place}: {pattern!r} may end a repeat in more than one place"
    assert method in ("match", "fullmatch") or (method == "search" and len(items) == 1 and not items[0][0])


def flat(parsed: Any) -> list[tuple[bool, set[int]]]:
    """A sequence of sets of characters, repeated or not; raises AssertionError for a pattern that is more than that."""
    items: list[tuple[bool, set[int]]] = []
    for operation, argument in parsed:
        if str(operation) == "SUBPATTERN":
            items += flat(argument[3])
        elif str(operation) == "MAX_REPEAT":
            _, _, inner = argument
            ((repeated, characters),) = flat(inner)
            assert not repeated
            items.append((True, characters))
        else:
            assert str(operation) in ("LITERAL", "NOT_LITERAL", "IN"), f"{operation} is more than a sequence of sets"
            items.append((False, set_of(operation, argument)))
    return items


def set_of(operation: Any, argument: Any) -> set[int]:
    one = re._compiler.compile  # type: ignore[attr-defined]
    source = re._parser.SubPattern(re._parser.State(), [(operation, argument)])  # type: ignore[attr-defined]
    matcher = one(source)
    return {code for code in range(256) if matcher.fullmatch(chr(code))}
