"""How `python -m handoff_worker` finds an application."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from handoff_worker.start.load import LoadFailed, load


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
