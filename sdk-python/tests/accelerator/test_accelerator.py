"""The accelerator in C: where it answers, the Python answers the same; it leaves what is unusual, and keeps nothing."""

import gc
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from any_machine import on_any_machine
from both_ways import DEADLINE, STATE, BothWays, only_python, require_same
from building import SOURCES, built, native
from frame_fixtures import from_core
from handoff_worker import __version__
from handoff_worker.asgi import scope
from handoff_worker.protocol import frames
from handoff_worker.protocol.frames import MOST_BODY_BYTES, MOST_JSON_BYTES, FrameReader
from handoff_worker.wsgi import environ
from heads import head, heads, mutated, octets, text_of, visible
from hypothesis import given
from hypothesis import strategies as st
from test_pythons import FOUND

TESTS = Path(__file__).parents[1]
LIMITS = MOST_JSON_BYTES, MOST_BODY_BYTES


@pytest.fixture(scope="module")
def module() -> ModuleType:
    return native()


@pytest.fixture(scope="module")
def both(module: ModuleType) -> BothWays:
    return BothWays(module)


@on_any_machine
@given(heads, st.booleans())
def test_scope_and_environ_are_those_of_the_python(both: BothWays, given_head: dict[str, Any], compact: bool) -> None:
    json = text_of(given_head, compact)
    both.scope(json)
    both.environ(json)


@on_any_machine
@given(heads, st.integers(0, 2**32))
def test_they_are_the_same_for_what_is_nearly_a_head(both: BothWays, given_head: dict[str, Any], seed: int) -> None:
    json = mutated(text_of(given_head), random.Random(seed))
    both.scope(json)
    both.environ(json)


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"headers": []},
        {"requestId": None},
        {"version": "1.0", "method": "POST"},
        {"scheme": "https", "prefix": "/a"},
        {"client": "unix:0"},
        {"client": "[::1]:80"},
        {"headers": [["accept", 'a"b\\c"' * 100]]},
        {"target": "/?" + "a" * 8000, "headers": [["x", "y" * 9000]] * 50},
    ],
    ids=str,
)
def test_takes_what_is_usual(both: BothWays, keys: dict[str, Any]) -> None:
    assert both.scope(text_of(head(**keys)))
    if len(keys.get("headers", ())) < 50:
        assert both.environ(text_of(head(**keys)))


ODD = {
    "other order": {"id": None, "method": None},
    "not in ASCII": {"headers": [["x", "caf\u00e9"]]},
    "escaped control": {"headers": [["x", "a\tb"]]},
    "escaped name": {"headers": [['"', "a"]]},
    "long and escaped": {"headers": [["x", '"' * 1024]]},
    "field of three": {"headers": [["x", "y", "z"]]},
    "field of numbers": {"headers": [["x", 1]]},
    "escape in path": {"target": "/%41"},
    "asterisk": {"target": "*"},
    "empty target": {"target": ""},
    "other version": {"version": "2"},
    "other scheme": {"scheme": "ftp"},
    "escape in prefix": {"prefix": "/%41"},
    "certificate": {"scheme": "https", "clientCertificate": "MAA="},
    "in pieces": {"more": True},
    "web socket": {"websocket": []},
    "unknown key": {"new": 1},
    "number with fraction": {"timeoutMillis": 1.5},
    "long number": {"id": 10**16},
}


@pytest.mark.parametrize("keys", ODD.values(), ids=ODD)
def test_leaves_what_is_odd(both: BothWays, keys: dict[str, Any]) -> None:
    assert not both.scope(text_of(head(**keys)))
    assert not both.environ(text_of(head(**keys)))


def test_leaves_a_host_with_escapes_in_a_scope(both: BothWays) -> None:
    """Whose value would be written over by the next one with escapes."""
    json = text_of(head(headers=[["host", '"'], ["x", '"']]))
    assert not both.scope(json)
    assert both.environ(json)


def test_leaves_white_space_and_zeros_in_front(both: BothWays) -> None:
    for json in (text_of(head(), compact=False), text_of(head()) + b" ", text_of(head()).replace(b"30000", b"030000")):
        assert not both.scope(json)
        assert not both.environ(json)


def test_leaves_fields_that_come_twice_in_an_environ(both: BothWays) -> None:
    for fields in ([["x", "1"], ["x", "2"]], [["x", ""], ["x", "2"]], [["x-a", "1"], ["a", "1"], ["x-a", "1"]]):
        assert both.scope(text_of(head(headers=fields)))
        assert not both.environ(text_of(head(headers=fields)))


def test_leaves_all_that_is_cut_off(both: BothWays) -> None:
    json = text_of(head())
    for size in range(len(json)):
        assert not both.scope(json[:size])
        assert not both.environ(json[:size])


def test_the_scope_of_each_request_is_its_own(module: ModuleType) -> None:
    first, second = (made_scope(module) for _ in range(2))
    require_same(first, second)
    for key in ("asgi", "headers", "state", "extensions"):
        assert first[key] is not second[key]
    assert first["extensions"]["handoff"] is not second["extensions"]["handoff"]


def test_an_address_that_is_none_raises_as_in_python(both: BothWays) -> None:
    assert both.scope(text_of(head(client="nobody")))
    assert both.environ(text_of(head(headers=[["host", "a:b"]])))


# ---- Frames ----


def frame(json: bytes, body: bytes = b"") -> bytes:
    return frames.prefix.pack(len(json), len(body)) + json + body


@pytest.mark.parametrize("fixture", from_core(), ids=lambda fixture: fixture.name)
def test_reads_golden_frames_as_the_python_does_however_they_are_cut(module: ModuleType, fixture: Any) -> None:
    data = fixture.data
    cuts = [(data[:place], data[place:]) for place in range(len(data) + 1)]
    for pieces in [*cuts, tuple(data[i : i + 1] for i in range(len(data)))]:
        with only_python():
            wanted = read(fixture.json_limit, fixture.body_limit, pieces)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(frames, "read_requests", module.read_requests)
                require_same(read(fixture.json_limit, fixture.body_limit, pieces), wanted)


def read(json_limit: int, body_limit: int, pieces: tuple[bytes, ...]) -> list[Any]:
    reader = FrameReader(json_limit, body_limit)
    told: list[Any] = []
    for piece in pieces:
        for message in reader.feed(piece):
            slots = getattr(type(message), "__slots__", None)
            told.append([type(message).__name__, *(getattr(message, name) for name in slots)] if slots else message)
        told += [reader.fault, reader.missing if reader.fault is None else 0]
        if reader.fault is not None:
            break
    return told


@on_any_machine
@given(st.lists(st.tuples(heads, st.binary(max_size=20)), max_size=5), st.integers(0, 2**32), st.booleans())
def test_finds_the_requests_that_the_python_finds(
    both: BothWays, sent: list[tuple[dict[str, Any], bytes]], seed: int, damaged: bool
) -> None:
    chance = random.Random(seed)
    data = b"".join(frame(text_of(given_head), body) for given_head, body in sent)
    data = mutated(data, chance) if damaged else data[: chance.randrange(len(data) + 1)]
    both.messages(data, 0, *LIMITS)
    both.messages(data, chance.randrange(len(data) + 1), 300, 10)


def test_finds_all_that_is_whole_in_one_call(both: BothWays) -> None:
    usual, posted = frame(text_of(head())), frame(text_of(head(method="POST")), b"body")
    data = (usual + posted) * 50
    assert both.messages(data + usual[:-1], 0, *LIMITS) == len(data)
    assert both.messages(data + usual[:7], len(usual), *LIMITS) == len(data)


@pytest.mark.parametrize(
    "odd",
    [
        frame(b'{"type":"ping"}'),
        frame(b'{"type":"data","id":1}', b"a piece"),
        frame(text_of(head(more=True))),
        frame(text_of(head(more=True)), b"a piece"),
        frame(text_of(head()).replace(b'"client"', b'"more":true,"client"'), b"a piece"),
        frame(text_of(head(), compact=False)),
        frame(text_of(head()).replace(b'"id":7', b'"id":07')),
        frame(text_of(head()).replace(b'"id":7', b'"id":0')),
        frame(b"{}"),
        frames.prefix.pack(1, 0) + b"{",
        frames.prefix.pack(MOST_JSON_BYTES + 1, 0) + b"{",
        frames.prefix.pack(2, MOST_BODY_BYTES + 1) + b"{}",
        frames.prefix.pack(0xFFFFFFFF, 0xFFFFFFFF) + b"{}",
    ],
)
def test_reads_up_to_what_is_odd(both: BothWays, odd: bytes) -> None:
    usual = frame(text_of(head()))
    assert both.messages(usual + odd + usual, 0, *LIMITS) == len(usual)


# ---- Responses ----


@on_any_machine
@given(
    st.integers(1, 2**53 - 1),
    st.sampled_from([200, 200, 404, 599, 101, 199, 600, 203.0, True, "200"]),
    st.lists(st.tuples(st.text("aZ9-!_: ", max_size=8), st.one_of(visible, octets, st.text(max_size=5)))),
    st.integers(0, 2**32),
)
def test_writes_the_head_that_the_python_writes(
    both: BothWays, request_id: int, status: Any, headers: list[tuple[str, str]], body_bytes: int
) -> None:
    both.response_head(request_id, status, tuple(headers), body_bytes)


USUAL = (("content-type", "text/plain; charset=utf-8"), ("ETag", '"a\\b"'))


def test_writes_what_is_usual(both: BothWays) -> None:
    for headers in ((), USUAL, USUAL * 10):
        assert both.response_head(2**53 - 1, 599, headers, 2**32 - 1)


@pytest.mark.parametrize(
    "odd",
    [
        (-1, 200, (), 0),
        (2**63, 200, (), 0),
        (1, 199, (), 0),
        (1, 600, (), 0),
        (1, 10**30, (), 0),
        (1, True, (), 0),
        (1, 200.0, (), 0),
        (1, 200, [], 0),
        (1, 200, (), -1),
        (1, 200, (), 2**32),
        (1, 200, (["a", "b"],), 0),
        (1, 200, (("a",),), 0),
        (1, 200, (("a", b"b"),), 0),
        (1, 200, (("", "b"),), 0),
        (1, 200, (("a b", "b"),), 0),
        (1, 200, (("a", "b\r\nc"),), 0),
        (1, 200, (("a", "b\x7f"),), 0),
        (1, 200, (("a", "\u00e4"),), 0),
        (1, 200, (("a", "\ud800"),), 0),
        (1, 200, (("a", "b" * 4096),), 0),
    ],
    ids=repr,
)
def test_leaves_odd_responses(both: BothWays, odd: tuple[Any, ...]) -> None:
    assert not both.response_head(*odd)


# ---- Memory ----


def made_scope(module: ModuleType, **keys: Any) -> Any:
    addresses = scope.client_addresses, scope.server_addresses
    return module.make_scope(text_of(head(**keys)), DEADLINE, STATE, scope._MODEL, scope.VERSION, *addresses)


def calls(module: ModuleType) -> dict[str, Callable[[], object]]:
    """Each function with what is usual and what is odd at each place, so that each way out is gone."""
    addresses = scope.client_addresses, scope.server_addresses
    caches = environ._keys, environ._clients, environ._servers
    model = environ.Environs(multithread=True)._model
    usual, odd = text_of(head()), text_of(head(websocket=[]))
    escaped, late = text_of(head(headers=[["x", "\u00e4"]])), text_of(head(headers=[["x-a", "1"], ["x-a", "2"]]))
    wrong = text_of(head(client="nobody"))
    data = frame(usual) * 3 + frame(b'{"type":"ping"}')

    def raises(function: Callable[[], object]) -> None:
        with pytest.raises((ValueError, TypeError)):
            function()

    made = {
        f"scope of {name}": lambda json=json: module.make_scope(
            json, DEADLINE, STATE, scope._MODEL, scope.VERSION, *addresses
        )
        for name, json in {"usual": usual, "odd": odd, "escaped": escaped}.items()
    }
    made |= {
        f"environ of {name}": lambda json=json: module.make_environ(json, DEADLINE, model, *caches)
        for name, json in {"usual": usual, "odd": odd, "escaped": escaped, "late": late}.items()
    }
    return made | {
        "scope raises": lambda: raises(
            lambda: module.make_scope(wrong, DEADLINE, STATE, scope._MODEL, scope.VERSION, *addresses)
        ),
        "environ raises": lambda: raises(lambda: module.make_environ(wrong, DEADLINE, model, *caches)),
        "too few": lambda: raises(lambda: module.make_scope(usual)),
        "no bytes": lambda: raises(lambda: module.read_requests("", 0, [], *LIMITS)),
        "start behind the end": lambda: raises(lambda: module.read_requests(b"", 1, [], *LIMITS)),
        "requests": lambda: module.read_requests(data, 0, [], *LIMITS),
        "response": lambda: module.write_response_head(1, 200, USUAL, 5),
        "odd response": lambda: module.write_response_head(1, 200, (*USUAL, ("a", "\ud800")), 5),
    }


MANY = 50_000


def test_keeps_nothing(module: ModuleType) -> None:
    for name, call in calls(module).items():
        times = MANY // 10 if "raises" in name or "too" in name else MANY
        for _ in range(10):
            call()
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(times):
            call()
        gc.collect()
        assert sys.getallocatedblocks() - before < times // 100, name


def test_survives_any_allocation_that_fails(module: ModuleType) -> None:
    capi = pytest.importorskip("_testcapi", reason="this Python has no _testcapi, which makes allocations fail")
    for name, call in calls(module).items():
        if name.startswith(("scope of", "environ of", "requests", "response")):
            call()
            assert sum(fails(capi, call, first) for first in range(200)) > 0, name


def fails(capi: ModuleType, call: Callable[[], object], allocation: int) -> bool:
    """Whether the call needs this allocation, counted from its beginning. It has none, and the others are granted."""
    gc.disable()
    capi.set_nomemory(allocation, allocation + 1)
    try:
        call()
    except MemoryError:
        return True
    finally:
        capi.remove_mem_hooks()
        gc.enable()
    return False


def test_runs_in_a_sub_interpreter(module: ModuleType) -> None:
    interpreters = pytest.importorskip("_xxsubinterpreters", reason="this Python has its sub-interpreters elsewhere")
    code = f"import sys; sys.path.insert(0, {str(built())!r}); import handoff_worker_accelerator as a\n"
    code += "assert a.write_response_head(1, 200, (('a', 'b'),), 0)"
    for _ in range(3):
        interpreter = interpreters.create()
        interpreters.run_string(interpreter, code)
        interpreters.destroy(interpreter)
    assert module.write_response_head(1, 200, USUAL, 5)


# ---- Whether it is used ----


def told(*folders: Path) -> str:
    code = "from handoff_worker import accelerator as a; import logging;"
    code += "print(logging.getLevelName(a.said[0]), a.said[1], a.make_scope is not None)"
    path = os.pathsep.join(map(str, [TESTS.parent / "src", *folders]))
    return subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


def test_is_used_where_it_is_installed() -> None:
    assert told(built()) == f"DEBUG handoff-worker-accelerator {__version__} is used True"
    assert told() == "DEBUG handoff-worker-accelerator is not installed False"


def test_another_version_is_not_used_and_told(tmp_path: Path) -> None:
    (tmp_path / "handoff_worker_accelerator.py").write_text('__version__ = "0.0.1"\nmake_scope = print\n')
    assert told(tmp_path) == (
        f"WARNING handoff-worker-accelerator 0.0.1 is not used, since handoff-worker is {__version__}: "
        "install the same version of both False"
    )


def test_one_that_cannot_be_loaded_is_not_used_and_told(tmp_path: Path) -> None:
    (tmp_path / "handoff_worker_accelerator").mkdir()
    (tmp_path / "handoff_worker_accelerator" / "__init__.py").write_text("raise ImportError('wrong machine')")
    assert told(tmp_path) == "WARNING handoff-worker-accelerator cannot be used: wrong machine False"


def test_has_the_version_of_the_sdk() -> None:
    text = (SOURCES / "src" / "handoff_worker_accelerator" / "version.py").read_text()
    assert re.findall(r'__version__ = "(.*)"', text) == [__version__]


def test_stays_short() -> None:
    """Decision 24: so that it can be read in one sitting."""
    assert len((SOURCES / "src" / "_native.c").read_text().splitlines()) <= 800


def test_the_tests_of_what_it_replaces_pass_with_it() -> None:
    path = os.pathsep.join([str(built()), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "protocol", "asgi", "wsgi", "gateway"]
    finished = subprocess.run(
        command, check=False, cwd=TESTS, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert finished.returncode == 0, finished.stdout[-5000:]


@pytest.mark.parametrize("python", dict.fromkeys([FOUND[0], FOUND[-1]]))
def test_one_build_serves_the_oldest_and_the_newest_python(python: str) -> None:
    packages = Path(pytest.__file__).parents[1]
    path = os.pathsep.join(map(str, [TESTS.parent / "src", built(), packages]))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # as in test_pythons.py
    used = [python, "-c", "from handoff_worker import accelerator as a; print(a.make_scope is not None)"]
    assert subprocess.run(used, env=environment, check=True, capture_output=True, text=True).stdout == "True\n"
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "asgi", "wsgi", "engine/test_asyncio_engine.py"]
    finished = subprocess.run(command, check=False, cwd=TESTS, env=environment, capture_output=True, text=True)
    assert finished.returncode == 0, f"{python}:\n{finished.stdout[-5000:]}"
