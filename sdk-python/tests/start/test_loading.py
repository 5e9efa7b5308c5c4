"""How `python -m handoff_worker` finds an application, and tells what it is."""

import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from handoff_worker.plain.async_function import AsyncFunction
from handoff_worker.plain.function import BlockingFunction
from handoff_worker.start.kinds import application_of, kind_of
from handoff_worker.start.load import LoadFailed, load
from handoff_worker.start.serve import is_coroutine_function, serve


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Modules that are imported from here are forgotten afterwards."""
    modules, path = set(sys.modules), list(sys.path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def write(folder: Path, name: str, text: str) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize(
    "words", ["site_one:app", "site_one", "site_one.py", "site_one.py:app", "./site_one.py", "site_one:holder.app"]
)
def test_finds_it_by_module_or_file(folder: Path, words: str) -> None:
    write(folder, "site_one.py", "app = 'the app'\nclass holder: app = app")
    assert load(words, factory=False) == "the app"


@pytest.mark.parametrize(("text", "found"), [("application = 1", 1), ("handler = 2", 2), ("handler = 2; app = 3", 3)])
def test_finds_it_under_its_usual_names(folder: Path, text: str, found: int) -> None:
    write(folder, "site_two.py", text)
    assert load("site_two", factory=False) == found


@pytest.mark.parametrize("words", ["site_three:make", "site_three"])
def test_calls_a_factory(folder: Path, words: str) -> None:
    write(folder, "site_three.py", "def create_app(): return 'made'\nmake = create_app")
    assert load(words, factory=True) == "made"


def test_a_file_in_a_package_is_imported_as_its_module(folder: Path) -> None:
    write(folder, "shop/__init__.py", "")
    write(folder, "shop/goods.py", "price = 7")
    write(folder, "shop/main.py", "from .goods import price as app")
    assert load("shop/main.py", factory=False) == 7
    assert "shop.main" in sys.modules


@pytest.mark.parametrize("name", ["my-site.py", "json.py"])
def test_a_file_may_have_a_name_that_no_module_can_have(folder: Path, name: str) -> None:
    write(folder, name, "app = __name__")
    load(name, factory=False)
    assert sys.modules["json"].__name__ == "json"


def test_a_file_does_not_start_a_server_of_its_own(folder: Path) -> None:
    write(folder, "site_four.py", "app = 1\nif __name__ == '__main__': raise SystemExit('started')")
    assert load("site_four.py", factory=False) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("nowhere:app", "no module nowhere"),
        ("nowhere.py", "no file nowhere.py"),
        ("site_five:missing", "site_five has no missing.*there are found"),
        ("site_five", "site_five has no app or application or handler"),
        ("factories", "factories has no app.*add --factory"),
        ("needy", "needy needs no_such_dependency.*install"),
    ],
)
def test_says_what_is_missing(folder: Path, words: str, said: str) -> None:
    write(folder, "site_five.py", "def found(): pass")
    write(folder, "factories.py", "def create_app(): pass")
    write(folder, "needy.py", "import no_such_dependency")
    with pytest.raises(LoadFailed, match=said):
        load(words, factory=False)


class Asgi:
    async def __call__(self, scope: Any, receive: Any, send: Any) -> None: ...


class Wsgi:
    def __call__(self, environ: Any, start_response: Any) -> Any: ...


class Asgi2:
    def __init__(self, scope: Any) -> None: ...

    async def __call__(self, receive: Any, send: Any) -> None: ...


async def asgi(scope: Any, receive: Any, send: Any) -> None: ...


def wsgi(environ: Any, start_response: Any) -> Any: ...


def plain(request: Any) -> Any: ...


async def coroutine(request: Any) -> Any: ...


def factory() -> Any: ...


@pytest.mark.parametrize(
    ("candidate", "kind"),
    [
        (Asgi(), "asgi"),
        (asgi, "asgi"),
        (functools.partial(asgi), "asgi"),
        (Wsgi(), "wsgi"),
        (wsgi, "wsgi"),
        (Wsgi().__call__, "wsgi"),
        (plain, "function"),
        (coroutine, "function"),
        (functools.partial(wsgi, None), "function"),
    ],
)
def test_tells_the_kind_by_how_it_is_called(candidate: object, kind: str) -> None:
    assert kind_of(candidate, "main:app") == kind


@pytest.mark.parametrize(
    ("candidate", "said"),
    [(3, "cannot be called"), (factory, "--factory"), (Asgi2, "ASGI 2"), (lambda *words, key: None, "--interface")],
)
def test_says_why_it_is_no_application(candidate: object, said: str) -> None:
    with pytest.raises(LoadFailed, match=said):
        kind_of(candidate, "main:app")


@pytest.mark.parametrize(
    ("candidate", "expected"),
    [
        (coroutine, True),
        (functools.partial(coroutine), True),
        (Asgi(), True),
        (plain, False),
        (Wsgi(), False),
        (Asgi, False),
    ],
)
def test_tells_a_coroutine_function(candidate: object, expected: bool) -> None:
    assert is_coroutine_function(candidate) is expected


def test_an_application_is_called_what_the_user_calls_it() -> None:
    application = application_of(coroutine, "main:handler", "function", 1)
    assert isinstance(application, AsyncFunction) and application.name == "main:handler"
    application = application_of(plain, "main:handler", "function", 1)
    assert isinstance(application, BlockingFunction) and application.name == "main:handler"


@pytest.mark.parametrize("options", [{"threads": 0}, {"threads": 1001}, {"window": 0}])
def test_refuses_limits_that_make_no_sense(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        serve(plain, **options)


def test_refuses_a_handler_that_cannot_be_called() -> None:
    with pytest.raises(TypeError, match="int"):
        serve(3)  # type: ignore[arg-type]


def test_the_engine_for_coroutines_is_loaded_only_where_it_is_needed() -> None:
    """Importing asyncio takes longer than all of the SDK."""
    check = "import sys, handoff_worker, handoff_worker.engine.blocking_worker; sys.exit('asyncio' in sys.modules or 'inspect' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
