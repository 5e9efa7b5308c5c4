"""How the modules of the SDK may use each other; what stands here is what `ARCHITECTURE.md` is for the core."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import handoff_worker
import pytest

ROOT = Path(handoff_worker.__file__).parent
NAME = handoff_worker.__name__

MAY_USE = {
    "version": set(),
    "log": set(),
    "accelerator": {"version"},
    "protocol": {"accelerator", "version", "log"},
    "engine": {"protocol", "log"},
    "gateway": {"protocol", "log"},
    "plain": {"engine", "protocol", "log"},
    "asgi": {"accelerator", "gateway", "engine", "protocol", "log"},
    "wsgi": {"accelerator", "version", "gateway", "engine", "protocol", "log"},
    "start": {"accelerator", "asgi", "wsgi", "plain", "gateway", "engine", "protocol", "log"},
    "ready": {"engine"},
    "__main__": {"start", "gateway", "engine", "version"},
    "__init__": {"start", "plain", "version"},
}
"""Each folder, and each module beside them, with the folders that it may import from."""

PUBLIC = {
    "BadRequest",
    "Event",
    "File",
    "Form",
    "Headers",
    "Parameters",
    "Request",
    "Response",
    "WebSocket",
    "WebSocketClosed",
    "__version__",
    "events",
    "serve",
    "streams_body",
}


def modules() -> dict[str, set[str]]:
    """Each module with those that it imports, also within its functions; `handoff_worker.plain.form` is `plain.form` here."""
    files = {file.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."): file for file in ROOT.rglob("*.py")}
    return {name: set(imports(file, files)) - {name} for name, file in files.items()}


def imports(file: Path, files: dict[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} has a relative import"
            # What is imported may be a module or a name in one.
            names = [f"{node.module}.{alias.name}" for alias in node.names] + [node.module or ""]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name.removeprefix(f"{NAME}.") for name in names if name.removeprefix(f"{NAME}.") in files)


def folder(module: str) -> str:
    return module.partition(".")[0]


MODULES = modules()


def test_there_are_no_other_folders() -> None:
    assert {folder(module) for module in MODULES} == MAY_USE.keys()


@pytest.mark.parametrize("user", MAY_USE)
def test_arrows_between_folders_go_one_way(user: str) -> None:
    used = {(module, other) for module, others in MODULES.items() for other in others if folder(module) == user}
    wrong = {(module, other) for module, other in used if folder(other) not in MAY_USE[user] | {user}}
    assert not wrong


@pytest.mark.parametrize("graph", [MODULES, MAY_USE], ids=["modules", "folders"])
def test_no_module_imports_in_a_circle(graph: dict[str, set[str]]) -> None:
    TopologicalSorter(graph).prepare()


def test_this_would_notice_a_circle() -> None:
    with pytest.raises(CycleError):
        TopologicalSorter({"a": {"b"}, "b": {"a"}}).prepare()


def test_this_sees_imports() -> None:
    assert "plain.application" in MODULES["start.serve"] and "plain.async_function" in MODULES["plain.application"]
    assert sum(map(len, MODULES.values())) > 100


def test_packages_import_nothing() -> None:
    """So that a folder costs a plain handler nothing but the modules that it uses."""
    assert not {module for module, others in MODULES.items() if module.endswith(".__init__") and others}


def test_all_that_is_public_is_at_the_top() -> None:
    assert set(handoff_worker.__all__) == PUBLIC
